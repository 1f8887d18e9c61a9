import type { StoppedAgent } from "./agent-result.ts";
import type { LimitReached } from "./budget.ts";

/** One sentence for the reader of a stopped agent's text: which limit was reached, and that the text is no answer. */
export function notCompleted(
  reached: LimitReached | Exclude<StoppedAgent["limit"], LimitReached["limit"]>,
): string {
  return `The agent stopped before it was done: ${whatOf(reached)}. This is not a completed answer.`;
}

function whatOf(reached: Parameters<typeof notCompleted>[0]): string {
  if (reached === "output") return "the model's own limit cut its answer off";
  if (reached === "content-filter") return "the model's provider withheld its answer";
  const { limit, most, isAbove } = reached;
  const who = isAbove ? "the agents above it have used their" : "it has used its";
  if (limit === "durationMs") return `it has worked for ${most} ms, which is all it may`;
  return `${who} ${most} ${limit === "toolCalls" ? "tool calls" : limit}`;
}
