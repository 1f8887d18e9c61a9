import type { JsonObject, Tool, ToolExecutor, ToolOutcome } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import type { CheckContext } from "../context/check.ts";
import { formatError } from "../contract/finding.ts";
import {
  findReturnedProgrammingError,
  findThrownProgrammingError,
} from "../faults/error-faults.ts";
import { compileSchema } from "../schema/shared-validator.ts";
import type { UsableTool } from "./usable-tool.ts";
import { observeAnswers } from "../observation/tool-observer.ts";
import { formatCall, createExecutor } from "../execution/run-sample.ts";

/**
 * A kind of arguments: only the required ones (`least`); ordinary values; a value at a boundary
 * (`edge`); a member that the schema does not name (`stranger`).
 */
export type InputKind = "least" | "ordinary" | "edge" | "stranger";

/** The result of a call with generated arguments. */
export interface GeneratedAnswer {
  readonly label: string;
  readonly kind: InputKind;
  readonly arguments: JsonObject;
  readonly returned: unknown;
  /** How the value violates the output schema of the tool, if the tool must match it. */
  readonly schemaViolation?: string;
  /** Absent if the call timed out. */
  readonly outcome?: ToolOutcome;
  /** The message of the programming error, if there was one. */
  readonly programmingError?: string;
}

/** A call that takes longer is assumed to be slow; a broken one fails sooner. */
const timeoutMs = 2000;

/** Makes generated calls, and records what the tools return and throw. */
export class GeneratedCalls {
  readonly #context: CheckContext;
  readonly #executor: ToolExecutor;
  #returned: unknown;
  #thrown: unknown;

  constructor(context: CheckContext, tools: readonly Tool[]) {
    this.#context = context;
    this.#executor = createExecutor(
      observeAnswers(tools, (given) => {
        if ("returned" in given) this.#returned = given.returned;
        else this.#thrown = given.thrown;
      }),
    );
  }

  /** Makes one call with a timeout of two seconds. */
  async make(
    { spec, tool }: UsableTool,
    kind: InputKind,
    args: JsonObject,
  ): Promise<GeneratedAnswer> {
    this.#returned = undefined;
    this.#thrown = undefined;
    const { injected } = this.#context.manifest;
    const label = formatCall({ tool: spec.name, arguments: args });
    const answer = { label, kind, arguments: args };
    try {
      const outcome = await this.#context.withDeadline(
        this.#executor.execute(
          { id: "conformance", name: spec.name, arguments: args },
          { timeoutMs, ...(injected === undefined ? {} : { injected }) },
        ),
        label,
      );
      const error = findThrownProgrammingError(this.#thrown) ?? findAnsweredError(outcome);
      const isLenient = tool.outputValidation === "warning" || !isObject(spec.outputSchema);
      const schemaViolation = isLenient
        ? undefined
        : await findSchemaViolation(outcome, spec.outputSchema);
      return {
        ...answer,
        outcome,
        returned: this.#returned,
        ...(error === undefined ? {} : { programmingError: error }),
        ...(schemaViolation === undefined ? {} : { schemaViolation }),
      };
    } catch (late) {
      return { ...answer, returned: formatError(late) };
    }
  }
}

function findAnsweredError(outcome: ToolOutcome): string | undefined {
  if (outcome.status !== "completed" || !outcome.result.isError) return undefined;
  for (const block of outcome.result.content) {
    const message = block.type === "text" ? findReturnedProgrammingError(block.text) : undefined;
    if (message !== undefined) return message;
  }
  return undefined;
}

/** Finds how the value of a result violates a schema. Errors are not checked. */
async function findSchemaViolation(
  outcome: ToolOutcome,
  schema: JsonObject | undefined,
): Promise<string | undefined> {
  if (outcome.status !== "completed" || outcome.result.isError) return undefined;
  const { value } = outcome.result;
  if (value === undefined) return "there is no value";
  const [problem] = (await compileSchema(schema ?? {}))?.(value) ?? [];
  if (problem === undefined) return undefined;
  return `${problem.path === "" ? "the value" : `"${problem.path}"`} ${problem.message}`;
}
