import { ToolError, type JsonValue } from "@toolweave/core";
import { visibleText, ellipsize, truncate } from "@toolweave/core/adapter";
import {
  ResponseLostError,
  ConnectionClosedError,
  isMarkedLost,
  isRejection,
  SseFallbackError,
  unsupportedVersion,
} from "./messages/transport-errors.ts";
import { readErrorMessage } from "./messages/session-refusal.ts";
import { takeBeginning, takeEnd } from "./stdio/line-reader.ts";

/** Characters of a server's message that an error repeats at most. */
const maxMessageLength = 1_000;

/** Characters of an error's data, as JSON, that an error keeps at most. Longer data is omitted. */
const maxDataLength = 10_000;

/** The newer protocol's code for a capability that the host did not declare (2026-07-28). */
const missingCapability = -32021;

/** Members of the SDK's errors. The class cannot be tested: another copy of the SDK has other classes. */
interface SdkFailure {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly name?: unknown;
  readonly data?: unknown;
}

/** End of an error's message whose call may have run. */
const mayHaveRunHint = " The call may have run: check that before it is made again.";

const closedCodes = new Set(["CONNECTION_CLOSED", "NOT_CONNECTED", "SEND_FAILED"]);

/**
 * Converts an error of a call or a list to a `ToolError`.
 *
 * @param server Name of the server.
 * @param method Method of the request. After a `tools/call` that has reached the server, the message says that the
 * call may have run.
 */
export function toCallError(server: string, thrown: unknown, method?: string): ToolError {
  const isCall = method === "tools/call";
  if (ToolError.is(thrown)) {
    const error = withServerName(server, "cannot be reached", thrown);
    return isCall && error.code === "upstream" ? withMayHaveRunHint(error) : error;
  }
  const { code, message, name, data } = toSdkFailure(thrown);
  const text = toMessageText(message);
  if (thrown instanceof ResponseLostError) {
    return new ToolError(
      "outcome_unknown",
      `The MCP server ${server} has accepted the call and ${text}.${mayHaveRunHint}`,
      // Only tools that a trusted source marks as idempotent are retried.
      { cause: thrown, retryable: true },
    );
  }
  if (isConnectionClosed(thrown)) {
    return new ToolError(
      "unavailable",
      `The connection to the MCP server ${server} is closed. A call in progress may have run.`,
      { cause: withStandardError(thrown) },
    );
  }
  const status = getStatus(thrown);
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
      `The MCP server ${server} requires a client capability that the host does not offer: ${text}`,
      { cause: thrown },
    );
  }
  if (typeof code === "number") {
    const body = { code, message: text, ...(isShort(data) ? { data } : {}) };
    // JSON-RPC's code for invalid parameters.
    const kind = code === -32602 ? "invalid_arguments" : "upstream";
    return new ToolError(kind, text, { cause: thrown, body });
  }
  return new ToolError("execution_failed", `The MCP server ${server} failed: ${text}`, {
    cause: thrown,
  });
}

/** Adds to the error of a rejected response (too large, or malformed) that the call may have run. */
function withMayHaveRunHint(error: ToolError): ToolError {
  const { code, message, retryable, audience, status, body } = error;
  if (/\bmay have\b|\bdid run\b/.test(message)) return error;
  return new ToolError(code, `${message}${mayHaveRunHint}`, {
    cause: error,
    retryable,
    audience,
    ...(status === undefined ? {} : { status }),
    ...(body === undefined ? {} : { body }),
  });
}

/**
 * Error of a call that was answered with 5xx: the server failed while it ran the call, or a proxy stopped waiting for
 * it (RFC 9110, section 15.6). 501 and 505 reject the request itself. 503 mostly does, but some proxies send it for a
 * broken connection.
 */
function failedCall(server: string, status: number, cause: unknown): ToolError {
  if (status === 501 || status === 505) return httpError(server, status, cause);
  const answer = `The MCP server ${server} answered the call with the status ${status}${quoteAnswer(cause)}${mayHaveRunHint}`;
  // Only tools that a trusted source marks as idempotent are retried.
  return status === 503
    ? new ToolError("unavailable", answer, { cause })
    : new ToolError("outcome_unknown", answer, { cause, retryable: true });
}

/** Adds the server's standard error, for the host only. */
function withStandardError(thrown: unknown): unknown {
  if (!(thrown instanceof ConnectionClosedError) || thrown.stderr === "") return thrown;
  const { message, stderr, cause } = thrown;
  const words = visibleText(takeEnd(stderr, maxMessageLength));
  return new ConnectionClosedError(`${message}. Standard error: ${words}`, stderr, cause);
}

/**
 * Converts an error of a connection attempt to a `ToolError`.
 *
 * @param server Name of the server.
 */
export function toConnectError(server: string, thrown: unknown): ToolError {
  if (ToolError.is(thrown)) return withServerName(server, "cannot be connected to", thrown);
  const ended = thrown instanceof ConnectionClosedError;
  const cause = ended && thrown.cause !== undefined ? thrown.cause : thrown;
  const status = getStatus(cause);
  if (status !== undefined) return httpError(server, status, cause);
  const stderr = ended ? visibleText(takeEnd(thrown.stderr, maxMessageLength)) : "";
  const reason = toMessageText(toSdkFailure(thrown).message).replace(/\.$/, "");
  return new ToolError(
    "unavailable",
    `The MCP server ${server} cannot be connected to: ${reason}.${stderr === "" ? "" : ` Standard error: ${stderr}`}`,
    { cause, retryable: !isMissing(cause) },
  );
}

/** Adds the server's name: errors of the HTTP client name only its origin. */
function withServerName(server: string, how: string, error: ToolError): ToolError {
  const { code, message, retryable, retryAfterMs } = error;
  if (code !== "unavailable" || message.includes(`MCP server ${server} `)) return error;
  return new ToolError(code, `The MCP server ${server} ${how}: ${message}`, {
    cause: error,
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/**
 * True if the server has rejected a request without running it, because it no longer knows the session (2025-11-25,
 * Session Management) or no longer supports the protocol version. The request may be sent again over a new
 * connection. Never true of a request that the server has accepted.
 */
export function isLostSession(thrown: unknown): boolean {
  const { code } = toSdkFailure(thrown);
  return isMarkedLost(thrown) || (isRejection(thrown) && code === unsupportedVersion);
}

function httpError(server: string, status: number, cause: unknown): ToolError {
  const lost = isMarkedLost(cause)
    ? " It does not accept the session, although a new one was opened."
    : "";
  const answer = `The MCP server ${server} answered with the status ${status}${quoteAnswer(cause)}${lost}${describeFallback(server, cause)}`;
  switch (status) {
    case 401:
    case 403:
      return new ToolError(
        "auth_required",
        `${answer} Check its credentials; \`auth: { oauth: {} }\` lets a person sign in.`,
        { cause },
      );
    case 429:
      return new ToolError("rate_limited", answer, { cause });
    // The server no longer knows the session.
    case 404:
      return new ToolError("unavailable", answer, { cause });
    default:
      return status >= 500
        ? new ToolError("unavailable", answer, { cause })
        : new ToolError("upstream", answer, { cause, status });
  }
}

/** Characters of an answer that an error repeats at most. */
const maxQuoteLength = 300;

/** Returns the message of an unsuccessful response, or the place that it was redirected to; begins with a separator. */
function quoteAnswer(thrown: unknown): string {
  const { data } = toSdkFailure(thrown);
  const { text, redirectedTo } = (data ?? {}) as { readonly [member: string]: unknown };
  const redirect =
    typeof redirectedTo === "string"
      ? `, after it redirected the POST to a GET of ${redirectedTo}: use the URL that it redirects to`
      : "";
  const message = typeof text === "string" ? readAnswerMessage(text) : "";
  return message === "" ? `${redirect}.` : `${redirect}: "${message}".`;
}

/** Returns the message of a JSON body, or the text of any other. A page has none. */
function readAnswerMessage(text: string): string {
  let message: string | undefined;
  try {
    message = readErrorMessage(JSON.parse(text));
  } catch {
    message = /^\s*</.test(text) ? undefined : text;
  }
  return takeBeginning(
    visibleText(takeBeginning(message ?? "", 2 * maxMessageLength)).trim(),
    maxQuoteLength,
  );
}

/** Returns the error of the older transport, which was tried too. */
function describeFallback(server: string, thrown: unknown): string {
  if (!(thrown instanceof SseFallbackError)) return "";
  const { message } = toConnectError(server, thrown.second);
  return ` Over the older HTTP with SSE: ${message}`;
}

/** The program does not exist or is not executable. */
function isMissing(cause: unknown): boolean {
  const { code } = toSdkFailure(cause);
  return code === "ENOENT" || code === "EACCES";
}

function isConnectionClosed(thrown: unknown): boolean {
  if (thrown instanceof ConnectionClosedError) return true;
  const { code, message, name } = toSdkFailure(thrown);
  // An error that the server itself has reported, whatever its message.
  if (typeof code === "number") return false;
  if (typeof code === "string" && closedCodes.has(code)) return true;
  return message === "Not connected" || (name === "TypeError" && message === "fetch failed");
}

function toSdkFailure(thrown: unknown): SdkFailure {
  return typeof thrown === "object" && thrown !== null ? (thrown as SdkFailure) : {};
}

/** Status of an HTTP response. An error that the server itself reports under a JSON-RPC code has none. */
function getStatus(thrown: unknown): number | undefined {
  const { code, data } = toSdkFailure(thrown);
  if (typeof code === "number") return undefined;
  const { status } = toSdkFailure(data) as { readonly status?: unknown };
  return typeof status === "number" ? status : undefined;
}

function toMessageText(message: unknown): string {
  if (typeof message !== "string" || message === "") return "no reason given.";
  return ellipsize(visibleText(truncate(message, 2 * maxMessageLength)), maxMessageLength);
}

/** True if the data is JSON and short enough to be stored with an error. */
function isShort(data: unknown): data is JsonValue {
  try {
    return data !== undefined && data !== null && JSON.stringify(data).length <= maxDataLength;
  } catch {
    // Too deeply nested to be serialized.
    return false;
  }
}
