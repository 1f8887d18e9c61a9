import { ToolError, type ToolErrorCode } from "@toolweave/core";
import { formatPosition, StarlarkError, type StarlarkErrorCode } from "@toolweave/starlark";

/** The code of a tool's error for the code of a script's. */
const codes: Readonly<Record<StarlarkErrorCode, ToolErrorCode>> = {
  invalid_syntax: "unavailable",
  execution_failed: "execution_failed",
  limit_exceeded: "limit_exceeded",
  timeout: "timeout",
  cancelled: "cancelled",
  interrupted: "internal",
  outcome_unknown: "outcome_unknown",
};

/**
 * The error of a tool for a script that failed: its message and its place in the file, without the host's own stack. The
 * error of a call that the script has made keeps its code, so that a refusal stays a refusal.
 *
 * @param signal the cancellation of the call, whose reason is the error if the script was cancelled.
 */
export function toScriptError(error: unknown, signal?: AbortSignal): ToolError {
  if (ToolError.is(error)) return error;
  if (!(error instanceof StarlarkError)) {
    return new ToolError("internal", "The script could not be run.", { cause: error });
  }
  if (error.code === "cancelled" && signal?.aborted === true && ToolError.is(signal.reason)) {
    return signal.reason;
  }
  const { cause, position, message } = error;
  const where = position === undefined ? "" : ` (${formatPosition(position)})`;
  if (ToolError.is(cause)) {
    return new ToolError(cause.code, `${cause.message}${where}`, {
      cause: error,
      retryable: false,
    });
  }
  // A file that could not be loaded: its own error says why.
  const { code } = cause instanceof StarlarkError ? cause : error;
  return new ToolError(codes[code], `${message}${where}`, { cause: error, retryable: false });
}
