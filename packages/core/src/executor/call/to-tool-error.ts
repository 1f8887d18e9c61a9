import { errorCodes, ToolError, type ToolErrorCode } from "../../contract/tool-error.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { redactorOf } from "../../redaction/redactor-of.ts";
import { previewJson } from "../../json/preview-json.ts";
import { wellFormed } from "../../text/well-formed.ts";
import { withoutPaths, withoutPathsOf } from "../../text/strip-paths.ts";
import type { Execution } from "./call-state.ts";
import { jsonValue } from "../../json/to-json.ts";

const maxMessage = 1000;

/**
 * The error of a call for whatever was thrown on its way: the reason it was stopped for, a
 * `ToolError` as it is, anything else as `execution_failed` with its bounded message.
 */
export function failureOf(execution: Execution, thrown: unknown): ToolError {
  const redactor = ownRedactor(execution);
  // A tool that notices the stop throws something of its own; the stop is why it ended.
  const error = execution.stopped ?? (isToolError(thrown) ? thrown : undefined);
  if (error === undefined) {
    const message = shownMessage(thrown, redactor);
    const failed = new ToolError("execution_failed", `${execution.call.name} failed: ${message}`, {
      cause: thrown,
    });
    return redactor === undefined ? failed : withoutSecrets(execution, redactor, failed);
  }
  return redactor === undefined ? error : withoutSecrets(execution, redactor, error);
}

/** A tool whose rules cannot be read fails when its output is redacted, and with that error. */
function ownRedactor(execution: Execution): Redactor | undefined {
  try {
    return redactorOf(execution);
  } catch {
    return execution.run.redactor ?? execution.engine.redactor;
  }
}

function withoutSecrets(execution: Execution, redactor: Redactor, error: ToolError): ToolError {
  try {
    return redactor.error(error, execution.attempt > 0);
  } catch {
    return new ToolError(
      codeOf(error),
      `${execution.call.name} failed: what it said is withheld, since it could not be searched for secrets.`,
    );
  }
}

/** Once more: it may be read only so often. */
function codeOf(error: ToolError): ToolErrorCode {
  try {
    return error.code;
  } catch {
    return "execution_failed";
  }
}

/** A `ToolError` that can be read; what only looks like one must not break the pipeline's exit. */
export function isToolError(thrown: unknown): thrown is ToolError {
  try {
    return (
      ToolError.is(thrown) &&
      Object.hasOwn(errorCodes, thrown.code) &&
      typeof thrown.message === "string"
    );
  } catch {
    return false;
  }
}

/** The message of anything that can be thrown; hostile getters and endless texts included. */
export function messageOf(thrown: unknown, redactor?: Redactor): string {
  try {
    const given = thrown instanceof Error ? thrown.message : textOf(thrown, redactor);
    if (typeof given !== "string" || given === "") return "no reason given.";
    // Before it is cut: half of a secret is none that could be found.
    const message = redactor?.told(given.slice(0, 100 * maxMessage)) ?? given;
    return wellFormed(message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message);
  } catch {
    return "no reason could be read.";
  }
}

/** The same for a model: without the stack that some put into it, and without where the host keeps its files. */
function shownMessage(thrown: unknown, redactor?: Redactor): string {
  const message = messageOf(thrown, redactor).replaceAll(/\n(\s+at [^\n]*|\s*a?t?…$)/g, "");
  try {
    return withoutPathsOf(thrown, message);
  } catch {
    return withoutPaths(message);
  }
}

/** What is thrown and is no error: its text, or its JSON when it has none to speak of. */
function textOf(thrown: unknown, redactor: Redactor | undefined): string {
  const text = String(thrown);
  if (text !== "[object Object]") return text;
  const { message } = thrown as { message?: unknown };
  if (typeof message === "string") return message;
  const json = jsonValue(thrown, 100 * maxMessage);
  return previewJson(redactor?.told(json) ?? json, maxMessage);
}
