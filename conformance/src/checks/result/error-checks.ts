import { errorCodes, ToolError, type ToolErrorCode } from "@toolweave/core";
import {
  makeFailingCalls,
  checkFailures,
  checkTexts,
  type Failure,
} from "../../calls/failing-calls.ts";
import { formatOutcome, successfulResult } from "../../execution/call-result.ts";
import { formatCall, createExecutor, runSample } from "../../execution/run-sample.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import { failed, formatError, passed, formatValue, type Finding } from "../../contract/finding.ts";
import { checkEach } from "../../faults/check-each.ts";
import {
  findCauseFault,
  isBlankMessage,
  hasControlCode,
  findHostPath,
  hasHtmlPage,
  hasStackTrace,
  findReturnedProgrammingError,
  findThrownProgrammingError,
} from "../../faults/error-faults.ts";

/** The maximum number of bytes of an error message. */
const maxErrorBytes = 4000;

/** Codes of transient errors, which may differ each time. */
const transientCodes: ReadonlySet<ToolErrorCode> = new Set([
  "rate_limited",
  "timeout",
  "unavailable",
  "store_unavailable",
]);

/** Codes of permanent errors: the same call cannot succeed later. */
const permanentCodes: ReadonlySet<ToolErrorCode> = new Set([
  "not_found",
  "not_advertised",
  "invalid_arguments",
  "invalid_output",
  "permission_denied",
  "approval_rejected",
  "approval_invalid",
  "cancelled",
  "outcome_unknown",
  "artifact_missing",
  "invalid_configuration",
  "internal",
]);

/** Codes that only an executor uses, for calls that were cancelled, skipped or rejected. */
const executorCodes: ReadonlySet<ToolErrorCode> = new Set([
  "not_advertised",
  "approval_rejected",
  "approval_invalid",
  "cancelled",
  "skipped",
]);

/** The statuses of responses to invalid requests (RFC 9110, section 15.5). */
const permanentStatuses: ReadonlySet<number> = new Set([
  400, 403, 405, 406, 410, 413, 414, 415, 422,
]);

/** Checks of errors. */
export const errorChecks: readonly Check[] = [
  defineCheck("TW-ERROR-001", async (context) =>
    checkEach(await makeFailingCalls(context), "Read each error message", (made) => {
      const { callResult } = made;
      if (typeof callResult === "string") return { wrong: "does not end", seen: callResult };
      if (!("text" in made))
        return {
          wrong: "should fail but does not: throw a ToolError",
          seen: formatOutcome(callResult),
        };
      return made.text.trim() === ""
        ? { wrong: "fails without a message", seen: formatOutcome(callResult) }
        : undefined;
    }),
  ),

  defineCheck("TW-ERROR-002", (context) =>
    checkTexts(context, "Looked for stack traces in each error message", (fullText) =>
      hasStackTrace(fullText)
        ? { wrong: "has a stack trace in its error message", seen: fullText }
        : undefined,
    ),
  ),

  defineCheck("TW-ERROR-003", (context) =>
    checkFailures(context, "Read the code of each error", ({ error, thrown }) => {
      const code = findUnknownCode(error) ?? findUnknownCode(thrown?.value);
      return code === undefined
        ? undefined
        : { wrong: "fails with an unknown error code", seen: code };
    }),
  ),

  defineCheck("TW-ERROR-004", (context) =>
    checkTexts(context, "Looked for paths in each error message", (fullText, failure) => {
      // TW-ERROR-002 reports those of a stack trace.
      const path = hasStackTrace(fullText)
        ? undefined
        : findHostPath(fullText, knownPaths(failure));
      return path === undefined
        ? undefined
        : {
            wrong: "has a path in its error message that its arguments do not contain",
            seen: path,
          };
    }),
  ),

  defineCheck("TW-ERROR-005", (context) =>
    checkFailures(context, "Made each failing call twice", ({ error, again }) => {
      const { callResult } = again;
      const other =
        typeof callResult === "string" || callResult.status === "interrupted"
          ? undefined
          : callResult.error?.code;
      if (other === error.code || transientCodes.has(error.code)) return undefined;
      if (other !== undefined && transientCodes.has(other)) return undefined;
      return {
        wrong: `fails with ${error.code}, and differently when it is repeated`,
        seen: formatOutcome(callResult),
      };
    }),
  ),

  defineCheck("TW-ERROR-006", checkLaterCalls),

  defineCheck("TW-ERROR-007", (context) =>
    checkFailures(context, "Looked for programming errors in each failure", (failure) => {
      const { thrown, text } = failure;
      const error = findThrownProgrammingError(thrown?.value) ?? findReturnedProgrammingError(text);
      return error === undefined
        ? undefined
        : {
            wrong: "causes a programming error in the tool: handle this case and throw a ToolError",
            seen: error,
          };
    }),
  ),

  defineCheck("TW-ERROR-008", (context) =>
    checkFailures(context, "Read the status and body of each upstream error", ({ error }) => {
      const { code, status, body, cause } = error;
      // Without a complete response, the cause says why.
      if (code !== "upstream" || body !== undefined || cause !== undefined) return undefined;
      return Number.isInteger(status)
        ? undefined
        : {
            wrong: "fails with upstream, but has neither a status nor a body",
            seen: toJson(error),
          };
    }),
  ),

  defineCheck("TW-ERROR-009", (context) =>
    checkFailures(context, "Read whether each error is retryable", ({ error }) => {
      if (!error.retryable) return undefined;
      const { code, status = 0 } = error;
      if (permanentCodes.has(code))
        return { wrong: `marks ${code} as retryable`, seen: toJson(error) };
      return code === "upstream" && permanentStatuses.has(status)
        ? { wrong: `marks a response with status ${status} as retryable`, seen: toJson(error) }
        : undefined;
    }),
  ),

  defineCheck("TW-ERROR-010", (context) =>
    checkTexts(context, "Looked for control codes in each error message", (fullText) =>
      hasControlCode(fullText)
        ? {
            wrong: "has terminal control codes in its error message",
            seen: JSON.stringify(fullText),
          }
        : undefined,
    ),
  ),

  defineCheck("TW-ERROR-011", (context) =>
    checkFailures(context, "Measured each error message", ({ text }) => {
      const bytes = Buffer.byteLength(text);
      return bytes <= maxErrorBytes
        ? undefined
        : { wrong: `fails with a message of ${bytes} bytes`, seen: text };
    }),
  ),

  defineCheck("TW-ERROR-012", (context) =>
    checkTexts(context, "Looked for HTML in each error message", (fullText) =>
      hasHtmlPage(fullText) ? { wrong: "fails with an HTML page", seen: fullText } : undefined,
    ),
  ),

  defineCheck("TW-ERROR-013", (context) =>
    checkFailures(context, "Read the errors that each tool throws", ({ thrown }) =>
      thrown === undefined || isError(thrown.value)
        ? undefined
        : {
            wrong: `throws ${describeType(thrown.value)} instead of an Error`,
            seen: formatValue(thrown.value),
          },
    ),
  ),

  defineCheck("TW-ERROR-014", (context) =>
    checkTexts(context, "Looked for objects in each error message", (fullText) =>
      /\[object [A-Z]\w*\]/.test(fullText)
        ? { wrong: "has an unreadable object in its error message", seen: fullText }
        : undefined,
    ),
  ),

  defineCheck("TW-ERROR-015", (context) =>
    checkTexts(context, "Read each error message", (_, { call, text }) => {
      const own = text.replace(`${call.tool} failed: `, "");
      return isBlankMessage(own) ? { wrong: "does not say what is wrong", seen: text } : undefined;
    }),
  ),
  defineCheck("TW-ERROR-016", (context) =>
    checkFailures(context, "Read the code of each error", ({ error }) =>
      executorCodes.has(error.code)
        ? {
            wrong: `fails with ${error.code}, which only an executor uses: use timeout, unavailable or execution_failed`,
            seen: toJson(error),
          }
        : undefined,
    ),
  ),

  defineCheck("TW-ERROR-017", (context) =>
    checkFailures(context, "Followed the causes of each error", ({ thrown }) =>
      thrown === undefined ? undefined : findCauseFault(thrown.value),
    ),
  ),
];

async function checkLaterCalls(context: CheckContext): Promise<Finding> {
  const executor = createExecutor((await context.createReady()).callableTools());
  const failing = context.samples("failingCalls");
  const succeeding = context.samples("succeedingCalls");
  for (const call of failing) {
    // Other rules check the result.
    await runSample(context, executor, call).catch(() => {});
  }
  const done = `Made ${failing.length} failing calls, and ${succeeding.length} succeeding calls after them.`;
  for (const call of succeeding) {
    const label = formatCall(call);
    const callResult = await runSample(context, executor, call).catch(formatError);
    if (successfulResult(callResult) !== undefined) continue;
    const what = typeof callResult === "string" ? "does not end" : "fails";
    return failed(`${label} ${what} after another call failed.`, done, formatOutcome(callResult));
  }
  return passed(done);
}

/** The paths that the caller knows: its arguments, and the workspace folder of the tool. */
function knownPaths({ call, workspaceRoot }: Failure): string {
  return `${JSON.stringify(call.arguments)} ${workspaceRoot ?? ""}`;
}

function findUnknownCode(error: unknown): string | undefined {
  if (!ToolError.is(error)) return undefined;
  const code: string = error.code;
  return Object.hasOwn(errorCodes, code) ? undefined : String(code);
}

/** True for an Error, also of another realm. */
function isError(value: unknown): boolean {
  return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
}

function describeType(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function toJson(error: ToolError): unknown {
  return error.toJSON();
}
