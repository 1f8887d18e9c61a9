import type { Caller, JsonValue, ToolExecutor } from "@toolweave/core";
import { toSentArguments } from "../http/json-body.ts";
import { toExplanationView, type ExplanationView } from "../explanation/explanation-view.ts";
import { findTool } from "./tool-details.ts";

/** The result that a call would have, as far as it is known before the call starts. */
export interface CheckResult {
  readonly problems: readonly {
    /** A JSON pointer into the arguments (RFC 6901); empty: the whole. */
    readonly pointer: string;
    readonly message: string;
  }[];
  /** If the arguments are valid: as the tool would get them, with a mask in place of each secret. */
  readonly arguments?: JsonValue;
  readonly explanation: ExplanationView;
}

/**
 * Checks a call, as its stages before the start do. Nothing runs.
 *
 * @throws Problem `not_found` for an unknown tool.
 */
export async function checkCall(
  executor: ToolExecutor,
  name: string,
  args: JsonValue,
  caller: Caller,
): Promise<CheckResult> {
  findTool(executor, name);
  const call = { name, arguments: toSentArguments(args) };
  const explanation = await executor.explain(call, { caller });
  const { problem, invalidArguments } = explanation;
  const isInvalid = problem?.code === "invalid_arguments";
  const problems =
    invalidArguments?.map(({ path, message }) => ({ pointer: path, message })) ??
    (isInvalid ? [{ pointer: "", message: executor.redact(problem.message) }] : []);
  return {
    problems,
    ...(explanation.arguments === undefined ? {} : { arguments: explanation.arguments }),
    explanation: toExplanationView(executor, explanation),
  };
}
