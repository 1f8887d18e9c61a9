import { errorCodes, ToolError, type ToolErrorCode } from "@toolweave/core";
import { failingCalls, checkFailures, checkTexts, type Failure } from "../calling/failing-calls.ts";
import { outcomeLabel, succeeded } from "../execution/outcome.ts";
import { callLabel, executorOver, runSample } from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { failed, messageOf, passed, show, type Finding } from "../contract/finding.ts";
import { checkEach } from "../reading/check-each.ts";
import { causeFault } from "../reading/cause-fault.ts";
import { blankText, controlCode, hostPath, htmlPage, stackTrace } from "../reading/error-text.ts";
import { answeredProgrammingError, programmingError } from "../reading/programming-error.ts";

/** Bytes that a model is asked to read of one error. */
const maxErrorBytes = 4000;

/** The same call may end in another of these each time. */
const passing: ReadonlySet<ToolErrorCode> = new Set([
  "rate_limited",
  "timeout",
  "unavailable",
  "store_unavailable",
]);

/** Nothing but another call, another tool or a person helps. */
const lasting: ReadonlySet<ToolErrorCode> = new Set([
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
  "internal",
]);

/** What only an executor can know: that a call was stopped, or that a person refused it. */
const executorsOwn: ReadonlySet<ToolErrorCode> = new Set([
  "not_advertised",
  "approval_rejected",
  "approval_invalid",
  "cancelled",
  "skipped",
]);

/** The statuses of answers that say the request itself is wrong (RFC 9110, section 15.5). */
const lastingStatuses: ReadonlySet<number> = new Set([400, 403, 405, 406, 410, 413, 414, 415, 422]);

/** What tools say when something went wrong. */
export const errorChecks: readonly Check[] = [
  check("TW-ERROR-001", async (context) =>
    checkEach(await failingCalls(context), "Read what each failed call says", (made) => {
      const { came } = made;
      if (typeof came === "string") return { wrong: "does not come to an end", seen: came };
      if (!("text" in made))
        return {
          wrong: "should fail and does not: throw a ToolError when it goes wrong",
          seen: outcomeLabel(came),
        };
      return made.text.trim() === ""
        ? { wrong: "fails and says nothing", seen: outcomeLabel(came) }
        : undefined;
    }),
  ),

  check("TW-ERROR-002", (context) =>
    checkTexts(context, "Looked for stack traces in what each failed call says", (said) =>
      stackTrace(said) ? { wrong: "shows a stack trace", seen: said } : undefined,
    ),
  ),

  check("TW-ERROR-003", (context) =>
    checkFailures(context, "Read the code of each error", ({ error, thrown }) => {
      const code = unknownCode(error) ?? unknownCode(thrown?.value);
      return code === undefined
        ? undefined
        : { wrong: "fails with a code that does not exist", seen: code };
    }),
  ),

  check("TW-ERROR-004", (context) =>
    checkTexts(context, "Looked for paths in what each failed call says", (said, failure) => {
      // Those of a stack are for TW-ERROR-002 to say.
      const path = stackTrace(said) ? undefined : hostPath(said, known(failure));
      return path === undefined
        ? undefined
        : { wrong: "tells a path that its arguments do not name", seen: path };
    }),
  ),

  check("TW-ERROR-005", (context) =>
    checkFailures(context, "Made each failing call twice", ({ error, again }) => {
      const { came } = again;
      const other =
        typeof came === "string" || came.status === "interrupted" ? undefined : came.error?.code;
      if (other === error.code || passing.has(error.code)) return undefined;
      if (other !== undefined && passing.has(other)) return undefined;
      return {
        wrong: `fails with ${error.code}, and otherwise when it is made again`,
        seen: outcomeLabel(came),
      };
    }),
  ),

  check("TW-ERROR-006", doesNoHarm),

  check("TW-ERROR-007", (context) =>
    checkFailures(context, "Looked for slips of a program in each failure", (failure) => {
      const { thrown, text } = failure;
      const slip = programmingError(thrown?.value) ?? answeredProgrammingError(text);
      return slip === undefined
        ? undefined
        : {
            wrong:
              "meets a mistake in the tool's own code: look for this case, and throw a ToolError",
            seen: slip,
          };
    }),
  ),

  check("TW-ERROR-008", (context) =>
    checkFailures(context, "Looked at what each upstream error carries", ({ error }) => {
      const { code, status, body, cause } = error;
      // Where no whole answer came, the cause says why.
      if (code !== "upstream" || body !== undefined || cause !== undefined) return undefined;
      return Number.isInteger(status)
        ? undefined
        : { wrong: "fails with upstream and has neither a status nor a body", seen: json(error) };
    }),
  ),

  check("TW-ERROR-009", (context) =>
    checkFailures(context, "Read what each error says of trying again", ({ error }) => {
      if (!error.retryable) return undefined;
      const { code, status = 0 } = error;
      if (lasting.has(code)) return { wrong: `calls ${code} retryable`, seen: json(error) };
      return code === "upstream" && lastingStatuses.has(status)
        ? { wrong: `calls an answer with the status ${status} retryable`, seen: json(error) }
        : undefined;
    }),
  ),

  check("TW-ERROR-010", (context) =>
    checkTexts(context, "Looked for control codes in what each failed call says", (said) =>
      controlCode(said)
        ? { wrong: "says it with a terminal's control codes", seen: JSON.stringify(said) }
        : undefined,
    ),
  ),

  check("TW-ERROR-011", (context) =>
    checkFailures(context, "Measured what each failed call says", ({ text }) => {
      const bytes = Buffer.byteLength(text);
      return bytes <= maxErrorBytes
        ? undefined
        : { wrong: `fails with ${bytes} bytes`, seen: text };
    }),
  ),

  check("TW-ERROR-012", (context) =>
    checkTexts(context, "Looked for HTML in what each failed call says", (said) =>
      htmlPage(said) ? { wrong: "answers with a page of HTML", seen: said } : undefined,
    ),
  ),

  check("TW-ERROR-013", (context) =>
    checkFailures(context, "Looked at what each tool throws", ({ thrown }) =>
      thrown === undefined || isError(thrown.value)
        ? undefined
        : {
            wrong: `throws ${kindOf(thrown.value)} in place of an Error`,
            seen: show(thrown.value),
          },
    ),
  ),

  check("TW-ERROR-014", (context) =>
    checkTexts(context, "Looked for objects in what each failed call says", (said) =>
      /\[object [A-Z]\w*\]/.test(said)
        ? { wrong: "shows an object that nobody can read", seen: said }
        : undefined,
    ),
  ),

  check("TW-ERROR-015", (context) =>
    checkTexts(context, "Read what each failed call says", (_, { call, text }) => {
      const own = text.replace(`${call.tool} failed: `, "");
      return blankText(own) ? { wrong: "does not say what is wrong", seen: text } : undefined;
    }),
  ),
  check("TW-ERROR-016", (context) =>
    checkFailures(context, "Read the code of each error", ({ error }) =>
      executorsOwn.has(error.code)
        ? {
            wrong: `fails with ${error.code}, which is the executor's to say: take timeout, unavailable or execution_failed`,
            seen: json(error),
          }
        : undefined,
    ),
  ),

  check("TW-ERROR-017", (context) =>
    checkFailures(context, "Followed the causes of what each tool throws", ({ thrown }) =>
      thrown === undefined ? undefined : causeFault(thrown.value),
    ),
  ),
];

async function doesNoHarm(context: CheckContext): Promise<Finding> {
  const executor = executorOver((await context.fresh()).callable());
  const failing = context.samples("failingCalls");
  const succeeding = context.samples("succeedingCalls");
  for (const call of failing) {
    // What becomes of it is for other rules to say.
    await runSample(context, executor, call).catch(() => {});
  }
  const done = `Made ${failing.length} calls that fail, and ${succeeding.length} that succeed after them.`;
  for (const call of succeeding) {
    const label = callLabel(call);
    const came = await runSample(context, executor, call).catch(messageOf);
    if (succeeded(came) !== undefined) continue;
    const what = typeof came === "string" ? "does not end" : "fails";
    return failed(`${label} ${what} after another call failed.`, done, outcomeLabel(came));
  }
  return passed(done);
}

/** What the caller knows of the host's files: what it has sent, and the folder that the tool names. */
function known({ call, workspaceRoot }: Failure): string {
  return `${JSON.stringify(call.arguments)} ${workspaceRoot ?? ""}`;
}

function unknownCode(error: unknown): string | undefined {
  if (!ToolError.is(error)) return undefined;
  const code: string = error.code;
  return Object.hasOwn(errorCodes, code) ? undefined : String(code);
}

/** Also one of another realm. */
function isError(value: unknown): boolean {
  return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function json(error: ToolError): unknown {
  return error.toJSON();
}
