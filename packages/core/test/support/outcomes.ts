import type {
  CompletedOutcome,
  FailedOutcome,
  Interruption,
  ToolOutcome,
  ToolResult,
} from "@toolweave/core";

/** The outcome of a call that the tool answered. */
export function completed(outcome: ToolOutcome | undefined): CompletedOutcome {
  if (outcome?.status === "completed") return outcome;
  throw new Error(`expected a completed call, got ${describe(outcome)}`);
}

/** The outcome of a call that failed or was refused. */
export function failed(outcome: ToolOutcome | undefined): FailedOutcome {
  if (outcome?.status === "failed") return outcome;
  throw new Error(`expected a failed call, got ${describe(outcome)}`);
}

/** The interruption of a call that waits. */
export function getInterruption(outcome: ToolOutcome | undefined): Interruption {
  if (outcome?.status === "interrupted") return outcome.interruption;
  throw new Error(`expected an interrupted call, got ${describe(outcome)}`);
}

/** The code of a call that failed. */
export function readCode(outcome: ToolOutcome | undefined): string {
  return failed(outcome).error.code;
}

/** All the text that a model reads of a result. */
function readText(result: ToolResult): string {
  return result.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

/** The text that a model reads of a call that has a result. */
export function textFor(outcome: ToolOutcome): string {
  if (outcome.status === "interrupted") throw new Error("an interrupted call has no result");
  return readText(outcome.result);
}

function describe(outcome: ToolOutcome | undefined): string {
  if (outcome === undefined) return "nothing";
  const detail =
    outcome.status === "failed" ? `${outcome.error.code}: ${outcome.error.message}` : "";
  return `${outcome.status} ${detail}`;
}
