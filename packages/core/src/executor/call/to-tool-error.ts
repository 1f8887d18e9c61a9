import { isToolError, messageOf } from "../../contract/error-message.ts";
import { ToolError, type ToolErrorCode } from "../../contract/tool-error.ts";
import type { Redactor } from "../../contract/redactor.ts";
import { stripPaths, stripPathsOf } from "../../text/strip-paths.ts";
import type { CallState } from "./call-state.ts";

/**
 * Converts a thrown value to the error of its call: the reason for which the call was stopped, a `ToolError` as it is,
 * any other value as `execution_failed` with its bounded message.
 */
export function toToolError(execution: CallState, thrown: unknown): ToolError {
  const redactor = ownRedactor(execution);
  // A tool that is stopped throws an error of its own; the stop is the reason.
  const reason = execution.reasonFor(thrown);
  const error = isToolError(reason) ? reason : undefined;
  if (error === undefined) {
    const message = messageForModel(thrown, redactor);
    const failed = new ToolError("execution_failed", `${execution.call.name} failed: ${message}`, {
      cause: thrown,
    });
    return redactor === undefined ? failed : withoutSecrets(execution, redactor, failed);
  }
  return redactor === undefined ? error : withoutSecrets(execution, redactor, error);
}

/**
 * If the rules of the tool cannot be read, its output fails with that error when it is redacted. The error itself is
 * redacted without them.
 */
function ownRedactor(execution: CallState): Redactor | undefined {
  try {
    return execution.redactor;
  } catch {
    return execution.run.redactor ?? execution.engine.redactor;
  }
}

function withoutSecrets(execution: CallState, redactor: Redactor, error: ToolError): ToolError {
  try {
    return redactor.error(error, execution.attempt > 0);
  } catch {
    return new ToolError(
      codeOf(error),
      `${execution.call.name} failed: what it said is withheld, since it could not be searched for secrets.`,
    );
  }
}

/** Reading it again may throw. */
function codeOf(error: ToolError): ToolErrorCode {
  try {
    return error.code;
  } catch {
    return "execution_failed";
  }
}

/** The message of a thrown value for a model: without stack traces and without file paths of the host. */
function messageForModel(thrown: unknown, redactor?: Redactor): string {
  const message = messageOf(thrown, redactor).replaceAll(/\n(\s+at [^\n]*|\s*a?t?…$)/g, "");
  try {
    return stripPathsOf(thrown, message);
  } catch {
    return stripPaths(message);
  }
}
