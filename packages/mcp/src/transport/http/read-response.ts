import { ToolError } from "@toolweave/core";
import { isObject, parseExact } from "@toolweave/core/adapter";
import type { HttpResponse } from "@toolweave/http";
import type { OutgoingMessage } from "../messages/channel.ts";
import { hasTooManyValues, tooLargeMessage } from "../messages/read-message.ts";
import { describesLostSession, readErrorMessage } from "../messages/session-refusal.ts";
import { ConnectionClosedError, unsupportedVersion } from "../messages/transport-errors.ts";

/** JSON-RPC's codes for invalid JSON and invalid params: the request itself is refused. */
const parseError = -32700;
const invalidParams = -32602;

/** Methods with side effects: once the server has accepted such a request, it is not sent again. All others only read. */
export const changing: ReadonlySet<string | undefined> = new Set(["tools/call", "tasks/update"]);

/**
 * True if the failure of `server/discover` is that of a server of the older protocol: any response but one of the newer
 * protocol, and a request for credentials (2026-07-28, Lifecycle, Backwards Compatibility). If the server cannot be
 * reached, nothing is known of it.
 */
export function isOlderServer(error: unknown): boolean {
  if (error instanceof ConnectionClosedError) return true;
  if (ToolError.is(error)) return error.code === "upstream";
  const { data } = error as { readonly data?: { readonly status?: unknown } };
  return typeof data?.status === "number" && data.status !== 401;
}

/** The error with which servers of the older protocol refuse `server/discover`. */
export function toUnknownMethod(error: unknown): object {
  return { code: -32601, message: (error as Error).message };
}

/** Error of a successful status without a response in the body. */
export function notJsonRpcError({ method = "" }: OutgoingMessage, answer: HttpResponse): ToolError {
  const { status, url, mediaType } = answer;
  const isPage = mediaType === "text/html" || /^\s*<(?:!doctype|html)/i.test(answer.text());
  let what = mediaType === undefined ? "a body without a media type" : `${mediaType.slice(0, 100)}`;
  if (isPage) what = "an HTML page";
  else if (answer.body.length === 0) what = "no body";
  const hint = isPage
    ? "Check that the URL is that of the MCP endpoint, and that no sign-in page or proxy is in front of it."
    : "Only notifications may be answered this way: check that the URL is that of an MCP endpoint.";
  const warning = changing.has(method)
    ? " The call may have run: check that before it is made again."
    : "";
  return new ToolError(
    "upstream",
    `The MCP server at ${new URL(url).origin} answered ${method} with the status ${status} and ${what}, instead of a JSON-RPC response. ${hint}${warning}`,
    { audience: "host", status },
  );
}

export function incompleteResponseError(cause?: unknown): Error {
  if (ToolError.is(cause) && cause.code === "cancelled") return cause;
  return new ConnectionClosedError(
    "the server ended its response before it was complete",
    "",
    cause,
  );
}

/** True if the response to this request is among the messages. */
export function includesResponse(message: unknown, id: string | number | undefined): boolean {
  if (id === undefined) return false;
  return (Array.isArray(message) ? message : [message]).some(
    (one: { readonly id?: unknown; readonly method?: unknown } | null) =>
      one?.method === undefined && (one?.id === id || one?.id === String(id)),
  );
}

/** @throws ToolError `upstream` when the body is not JSON, or too large. */
export function parseBody(answer: HttpResponse, text: string = answer.text()): unknown {
  if (hasTooManyValues(text)) {
    if (answer.status > 299) return undefined;
    throw new ToolError("upstream", tooLargeMessage);
  }
  try {
    return parseExact(text);
  } catch (cause) {
    if (answer.status > 299) return undefined;
    throw new ToolError("upstream", "The server's response is not valid JSON.", { cause });
  }
}

/**
 * True if the server has rejected a request without running it, because of the session or the version: by the status
 * (2025-11-25, Transports, Session Management), or by the message, since many servers use other statuses.
 *
 * @param hadSession The request named a session.
 */
export function refusesSession(
  message: OutgoingMessage,
  answer: HttpResponse,
  hadSession: boolean,
): boolean {
  const { status } = answer;
  if (status < 400) return false;
  if (hadSession && (status === 404 || status === 410)) return true;
  const body = parseBody(answer);
  const { id, error } = isObject(body) ? body : {};
  const code = isObject(error) ? error["code"] : undefined;
  if ((status === 400 || status === 404) && code === unsupportedVersion) return true;
  if (message.method === "initialize") return false;
  // A person has to sign in (RFC 9110, section 11.6.1).
  if (answer.headers["www-authenticate"] !== undefined) return false;
  if (code !== invalidParams && describesLostSession(readErrorMessage(body) ?? answer.text()))
    return true;
  if (status !== 400 && status !== 404) return false;
  // An error of the request itself, whatever its message.
  if (message.id !== undefined && id === message.id) return false;
  // The server has not related its error to the request, which is valid JSON-RPC.
  if (hadSession && error !== undefined && code !== parseError) return true;
  return /session|protocol.?version|initiali[sz]ed/i.test(answer.text());
}
