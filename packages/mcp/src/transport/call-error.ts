import { ToolError, visibleText, type JsonValue } from "@toolweave/core";
import {
  AnswerLost,
  ServerEnded,
  isRefusal,
  unsupportedVersion,
} from "./messages/transport-errors.ts";
import { takeEnd } from "./stdio/text-tail.ts";

/** Characters of a server's own words that an error repeats. */
const mostOfMessage = 1_000;

/** Characters of an error's data, as JSON, that an error keeps; more is left out. */
const mostOfData = 10_000;

/** The newer protocol's code for a capability that the host did not declare (2026-07-28). */
const missingCapability = -32021;

/** What the SDK's errors say of themselves; another copy of it makes other classes. */
interface SdkFailure {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly name?: unknown;
  readonly data?: unknown;
}

/** Ends the error of a call whose answer is lost. */
const mayHaveRun = " The call may have run: check that before it is made again.";

const goneCodes = new Set(["CONNECTION_CLOSED", "NOT_CONNECTED", "SEND_FAILED"]);

/**
 * What went wrong with a call, or with a list.
 *
 * @param server the server's name.
 * @param method the request's: after a `tools/call` that has reached the server, the error says that it may have run.
 */
export function toCallError(server: string, thrown: unknown, method?: string): ToolError {
  const isCall = method === "tools/call";
  if (ToolError.is(thrown)) {
    const error = named(server, "cannot be reached", thrown);
    return isCall && error.code === "upstream" ? withWarning(error) : error;
  }
  const { code, message, name, data } = failureOf(thrown);
  const said = shown(message);
  if (thrown instanceof AnswerLost) {
    return new ToolError(
      "outcome_unknown",
      `The MCP server ${server} has accepted the call and ${said}.${mayHaveRun}`,
      // Only a tool that a trusted source calls idempotent is run again.
      { cause: thrown, retryable: true },
    );
  }
  if (isGone(thrown)) {
    return new ToolError(
      "unavailable",
      `The connection to the MCP server ${server} is gone. A call that was under way may have run.`,
      { cause: lastWords(thrown) },
    );
  }
  const status = statusOf(thrown);
  if (status !== undefined) {
    return isCall && status >= 500
      ? failedCall(server, status, thrown)
      : httpError(server, status, thrown);
  }
  if (name === "UnauthorizedError") return httpError(server, 401, thrown);
  if (code === "REQUEST_TIMEOUT") {
    return new ToolError("timeout", `The MCP server ${server} did not answer in time.`, {
      cause: thrown,
    });
  }
  if (code === missingCapability) {
    return new ToolError(
      "execution_failed",
      `The MCP server ${server} needs a host that offers more to do this: ${said}`,
      { cause: thrown },
    );
  }
  if (typeof code === "number") {
    const body = { code, message: said, ...(isShort(data) ? { data } : {}) };
    // JSON-RPC's code for parameters that are not what was asked for.
    const kind = code === -32602 ? "invalid_arguments" : "upstream";
    return new ToolError(kind, said, { cause: thrown, body });
  }
  return new ToolError("execution_failed", `The MCP server ${server} failed: ${said}`, {
    cause: thrown,
  });
}

/** An answer came that cannot be taken: it is too large, or malformed. */
function withWarning(error: ToolError): ToolError {
  const { code, message, retryable, audience, status, body } = error;
  if (/\bmay have\b|\bdid run\b/.test(message)) return error;
  return new ToolError(code, `${message}${mayHaveRun}`, {
    cause: error,
    retryable,
    audience,
    ...(status === undefined ? {} : { status }),
    ...(body === undefined ? {} : { body }),
  });
}

/**
 * A server that fails while it runs a call, or a proxy that no longer waits for it, answers 5xx (RFC 9110, section 15.6).
 * 501 and 505 refuse the request itself. 503 mostly does, but some proxies answer it for a connection that broke.
 */
function failedCall(server: string, status: number, cause: unknown): ToolError {
  if (status === 501 || status === 505) return httpError(server, status, cause);
  const answer = `The MCP server ${server} answered the call with the status ${status}.${mayHaveRun}`;
  // Only a tool that a trusted source calls idempotent is run again.
  return status === 503
    ? new ToolError("unavailable", answer, { cause })
    : new ToolError("outcome_unknown", answer, { cause, retryable: true });
}

/** With what a server wrote to its standard error, which is for the host alone. */
function lastWords(thrown: unknown): unknown {
  if (!(thrown instanceof ServerEnded) || thrown.stderr === "") return thrown;
  const { message, stderr: said, cause } = thrown;
  const words = visibleText(takeEnd(said, mostOfMessage));
  return new ServerEnded(`${message}. It said: ${words}`, said, cause);
}

/**
 * Why there is no connection.
 *
 * @param server the server's name.
 */
export function toConnectError(server: string, thrown: unknown): ToolError {
  if (ToolError.is(thrown)) return named(server, "cannot be connected to", thrown);
  const ended = thrown instanceof ServerEnded;
  const cause = ended && thrown.cause !== undefined ? thrown.cause : thrown;
  const status = statusOf(cause);
  if (status !== undefined) return httpError(server, status, cause);
  const said = ended ? visibleText(takeEnd(thrown.stderr, mostOfMessage)) : "";
  const reason = shown(failureOf(thrown).message).replace(/\.$/, "");
  return new ToolError(
    "unavailable",
    `The MCP server ${server} cannot be connected to: ${reason}.${said === "" ? "" : ` It said: ${said}`}`,
    { cause, retryable: !isMissing(cause) },
  );
}

/** Over HTTP nobody but us knows what the server is called: errors name its origin. */
function named(server: string, how: string, error: ToolError): ToolError {
  const { code, message, retryable, retryAfterMs } = error;
  if (code !== "unavailable" || message.includes(`MCP server ${server} `)) return error;
  return new ToolError(code, `The MCP server ${server} ${how}: ${message}`, {
    cause: error,
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/**
 * The server has refused a request, and not run it, since it no longer knows the session (2025-11-25, Session Management)
 * or does not speak the version any more: it may be made once more over a new connection. Never true of a request that
 * the server has accepted.
 */
export function isLostSession(thrown: unknown): boolean {
  const { code, data } = failureOf(thrown);
  if (isRefusal(thrown) && code === unsupportedVersion) return true;
  return (failureOf(data) as { readonly isStale?: unknown }).isStale === true;
}

function httpError(server: string, status: number, cause: unknown): ToolError {
  const answer = `The MCP server ${server} answered with the status ${status}.`;
  switch (status) {
    case 401:
    case 403:
      return new ToolError(
        "auth_required",
        `${answer} Check its credentials; \`auth: { oauth: {} }\` lets somebody sign in.`,
        { cause },
      );
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

/** There is no such program, or it may not be run. */
function isMissing(cause: unknown): boolean {
  const { code } = failureOf(cause);
  return code === "ENOENT" || code === "EACCES";
}

function isGone(thrown: unknown): boolean {
  if (thrown instanceof ServerEnded) return true;
  const { code, message, name } = failureOf(thrown);
  // A server's own error, whatever it says.
  if (typeof code === "number") return false;
  if (typeof code === "string" && goneCodes.has(code)) return true;
  return message === "Not connected" || (name === "TypeError" && message === "fetch failed");
}

function failureOf(thrown: unknown): SdkFailure {
  return typeof thrown === "object" && thrown !== null ? (thrown as SdkFailure) : {};
}

/** Of an HTTP answer: what a server says in an error of its own, under a code, is none. */
function statusOf(thrown: unknown): number | undefined {
  const { code, data } = failureOf(thrown);
  if (typeof code === "number") return undefined;
  const { status } = failureOf(data) as { readonly status?: unknown };
  return typeof status === "number" ? status : undefined;
}

function shown(message: unknown): string {
  if (typeof message !== "string" || message === "") return "no reason given.";
  const visible = visibleText(message.slice(0, 2 * mostOfMessage));
  return visible.length > mostOfMessage ? `${visible.slice(0, mostOfMessage)}…` : visible;
}

/** It came as JSON, and there is not too much of it to be kept with an error. */
function isShort(data: unknown): data is JsonValue {
  try {
    return data !== undefined && data !== null && JSON.stringify(data).length <= mostOfData;
  } catch {
    // It is too deep to be written down.
    return false;
  }
}
