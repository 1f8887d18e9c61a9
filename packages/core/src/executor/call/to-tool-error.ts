import { isToolError, messageOf } from "../../contract/error-message.ts";
import { ToolError, type ToolErrorCode } from "../../contract/tool-error.ts";
import type { Redactor } from "../../contract/redactor.ts";
import { stripPaths, stripPathsOf } from "../../text/strip-paths.ts";
import type { CallState } from "./call-state.ts";

/**
 * The error of a call for whatever was thrown on its way: the reason it was stopped for, a
 * `ToolError` as it is, anything else as `execution_failed` with its bounded message.
 */
export function toToolError(execution: CallState, thrown: unknown): ToolError {
  const redactor = ownRedactor(execution);
  // A tool that notices the stop throws something of its own; the stop is why it ended.
  const error = execution.stopped ?? (isToolError(thrown) ? thrown : undefined);
  if (error === undefined) {
    const message = messageForModel(thrown, redactor);
    const failed = new ToolError("execution_failed", `${execution.call.name} failed: ${message}`, {
      cause: thrown,
    });
    return redactor === undefined ? failed : withoutSecrets(execution, redactor, failed);
  }
  return redactor === undefined ? error : withoutSecrets(execution, redactor, error);
}

/** A tool whose rules cannot be read fails when its output is redacted, and with that error. */
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

/** Once more: it may be read only so often. */
function codeOf(error: ToolError): ToolErrorCode {
  try {
    return error.code;
  } catch {
    return "execution_failed";
  }
}

/** The same for a model: without the stack that some put into it, and without where the host keeps its files. */
function messageForModel(thrown: unknown, redactor?: Redactor): string {
  const message = messageOf(thrown, redactor).replaceAll(/\n(\s+at [^\n]*|\s*a?t?…$)/g, "");
  try {
    return stripPathsOf(thrown, message);
  } catch {
    return stripPaths(message);
  }
}
