import { ToolError, type JsonValue } from "@toolweave/core";
import { ServerEnded } from "./server-ended.ts";

/** Characters of a server's own words that an error repeats. */
const mostOfMessage = 1_000;

/** What the SDK's errors say of themselves; another copy of it makes other classes. */
interface SdkFailure {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly name?: unknown;
  readonly data?: unknown;
}

const goneCodes = new Set(["CONNECTION_CLOSED", "NOT_CONNECTED", "SEND_FAILED"]);

/**
 * What went wrong with a call, or with a list.
 *
 * @param server the server's name.
 */
export function callError(server: string, thrown: unknown): ToolError {
  if (ToolError.is(thrown)) return thrown;
  const { code, message, name, data } = failureOf(thrown);
  const said = shown(message);
  if (isGone(thrown)) {
    return new ToolError(
      "unavailable",
      `The connection to the MCP server ${server} is gone. A call that was under way may have run.`,
      { cause: thrown },
    );
  }
  const status = statusOf(data);
  if (status !== undefined) return httpError(server, status, thrown);
  if (name === "UnauthorizedError") return httpError(server, 401, thrown);
  if (code === "REQUEST_TIMEOUT") {
    return new ToolError("timeout", `The MCP server ${server} did not answer in time.`, {
      cause: thrown,
    });
  }
  if (code === "UNSUPPORTED_RESULT_TYPE" || code === "CAPABILITY_NOT_SUPPORTED") {
    return new ToolError(
      "execution_failed",
      `The MCP server ${server} asks for something that is not supported here: ${said}`,
      { cause: thrown },
    );
  }
  // JSON-RPC's code for parameters that are not what was asked for.
  if (code === -32602) return new ToolError("invalid_arguments", said, { cause: thrown });
  if (typeof code === "number") {
    const body = { code, message: said, ...(isJson(data) ? { data } : {}) };
    return new ToolError("upstream", said, { cause: thrown, body });
  }
  return new ToolError("execution_failed", `The MCP server ${server} failed: ${said}`, {
    cause: thrown,
  });
}

/** Why there is no connection. */
export function connectError(server: string, thrown: unknown): ToolError {
  if (ToolError.is(thrown)) return thrown;
  const ended = thrown instanceof ServerEnded;
  const cause = ended && thrown.cause !== undefined ? thrown.cause : thrown;
  const status = statusOf(failureOf(cause).data);
  if (status !== undefined) return httpError(server, status, cause);
  const said = ended ? thrown.said.slice(-mostOfMessage) : "";
  const reason = shown(failureOf(cause).message).replace(/\.$/, "");
  return new ToolError(
    "unavailable",
    `The MCP server ${server} cannot be connected to: ${reason}.${said === "" ? "" : ` It said: ${said}`}`,
    { cause },
  );
}

function httpError(server: string, status: number, cause: unknown): ToolError {
  const answer = `The MCP server ${server} answered with the status ${status}.`;
  switch (status) {
    case 401:
    case 403:
      return new ToolError("auth_required", `${answer} Check its credentials.`, { cause });
    case 429:
      return new ToolError("rate_limited", answer, { cause });
    // Of a session that the server no longer knows.
    case 404:
      return new ToolError("unavailable", answer, { cause });
    default:
      return status >= 500
        ? new ToolError("unavailable", answer, { cause })
        : new ToolError("upstream", answer, { cause, status });
  }
}

function isGone(thrown: unknown): boolean {
  if (thrown instanceof ServerEnded) return true;
  const { code, message, name } = failureOf(thrown);
  if (typeof code === "string" && goneCodes.has(code)) return true;
  return message === "Not connected" || (name === "TypeError" && message === "fetch failed");
}

function failureOf(thrown: unknown): SdkFailure {
  return typeof thrown === "object" && thrown !== null ? (thrown as SdkFailure) : {};
}

function statusOf(data: unknown): number | undefined {
  const { status } = failureOf(data) as { readonly status?: unknown };
  return typeof status === "number" ? status : undefined;
}

function shown(message: unknown): string {
  if (typeof message !== "string" || message === "") return "no reason given.";
  return message.length > mostOfMessage ? `${message.slice(0, mostOfMessage)}…` : message;
}

/** It came as JSON. */
function isJson(data: unknown): data is JsonValue {
  return data !== undefined && data !== null;
}
