import type { JsonObject, Tool, ToolExecutor, ToolOutcome } from "@toolweave/core";
import type { CheckContext } from "../context/check.ts";
import { messageOf } from "../contract/finding.ts";
import { answeredProgrammingError, programmingError } from "../reading/programming-error.ts";
import { checkerOf } from "../schema/checker-of.ts";
import { isObject } from "../schema/subschemas.ts";
import type { UsableTool } from "./usable-tool.ts";
import { watchGiven } from "../watching/given.ts";
import { callLabel, executorOver } from "../execution/sample-run.ts";

/**
 * What arguments are like: only what is required; what one sends every day; at an edge; with a member
 * that the schema does not name.
 */
export type InputKind = "least" | "ordinary" | "edge" | "stranger";

/** What a call with generated arguments gave. */
export interface GeneratedAnswer {
  readonly label: string;
  readonly kind: InputKind;
  readonly arguments: JsonObject;
  readonly returned: unknown;
  /** How its value is against the output schema of the tool, where the tool must keep that. */
  readonly misfit?: string;
  /** Absent: it did not come in time. */
  readonly outcome?: ToolOutcome;
  /** What shows that the program went wrong. */
  readonly programmingError?: string;
}

/** A call that takes longer is slow by nature; what is broken shows sooner. */
const timeoutMs = 2000;

/** Makes generated calls, and sees what the tools themselves return and throw. */
export class GeneratedCalls {
  readonly #context: CheckContext;
  readonly #executor: ToolExecutor;
  #returned: unknown;
  #thrown: unknown;

  constructor(context: CheckContext, tools: readonly Tool[]) {
    this.#context = context;
    this.#executor = executorOver(
      watchGiven(tools, (given) => {
        if ("returned" in given) this.#returned = given.returned;
        else this.#thrown = given.thrown;
      }),
    );
  }

  /** Makes one call; it gets no longer than two seconds. */
  async make(
    { spec, tool }: UsableTool,
    kind: InputKind,
    args: JsonObject,
  ): Promise<GeneratedAnswer> {
    this.#returned = undefined;
    this.#thrown = undefined;
    const { injected } = this.#context.manifest;
    const label = callLabel({ tool: spec.name, arguments: args });
    const answer = { label, kind, arguments: args };
    try {
      const outcome = await this.#context.within(
        this.#executor.execute(
          { id: "conformance", name: spec.name, arguments: args },
          { timeoutMs, ...(injected === undefined ? {} : { injected }) },
        ),
        label,
      );
      const error = programmingError(this.#thrown) ?? answeredError(outcome);
      const isLenient = tool.outputValidation === "warning" || !isObject(spec.outputSchema);
      const misfit = isLenient ? undefined : await findMismatch(outcome, spec.outputSchema);
      return {
        ...answer,
        outcome,
        returned: this.#returned,
        ...(error === undefined ? {} : { programmingError: error }),
        ...(misfit === undefined ? {} : { misfit }),
      };
    } catch (late) {
      return { ...answer, returned: messageOf(late) };
    }
  }
}

function answeredError(outcome: ToolOutcome): string | undefined {
  if (outcome.status !== "completed" || !outcome.result.isError) return undefined;
  for (const block of outcome.result.content) {
    const said = block.type === "text" ? answeredProgrammingError(block.text) : undefined;
    if (said !== undefined) return said;
  }
  return undefined;
}

/** How the value of an answer is against a schema; of an error there is nothing to check. */
async function findMismatch(
  outcome: ToolOutcome,
  schema: JsonObject | undefined,
): Promise<string | undefined> {
  if (outcome.status !== "completed" || outcome.result.isError) return undefined;
  const { value } = outcome.result;
  if (value === undefined) return "there is no value";
  const [problem] = (await checkerOf(schema ?? {}))?.(value) ?? [];
  if (problem === undefined) return undefined;
  return `${problem.path === "" ? "the value" : `"${problem.path}"`} ${problem.message}`;
}
