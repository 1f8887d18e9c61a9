import { ToolError } from "@toolweave/core";
import { parseExact } from "@toolweave/core/adapter";
import type { HttpResponse } from "@toolweave/http";
import type { OutgoingMessage } from "../messages/channel.ts";
import { hasTooManyValues, tooLargeMessage } from "../messages/read-message.ts";
import { ConnectionClosedError, unsupportedVersion } from "../messages/transport-errors.ts";

/** Methods with side effects: once the server has accepted such a request, it is not sent again. All others only read. */
export const changing: ReadonlySet<string | undefined> = new Set(["tools/call", "tasks/update"]);

/** The server has rejected a request without running it because of the session or the version. */
export function isStale(
  message: OutgoingMessage,
  answer: HttpResponse,
  hadSession: boolean,
): boolean {
  const { status } = answer;
  // 2025-11-25, Transports, Session Management.
  if (status === 404 && hadSession) return true;
  if (status !== 400 && status !== 404) return false;
  const body = parseBody(answer) as { readonly id?: unknown; readonly error?: unknown } | undefined;
  const { code } = (body?.error ?? {}) as { readonly code?: unknown };
  if (code === unsupportedVersion) return true;
  // An error of the request itself, whatever its message.
  if (message.id !== undefined && body?.id === message.id) return false;
  // Many servers, among them the SDK's examples, report an unknown session as a missing one.
  return /session|protocol.?version|initiali[sz]ed/i.test(answer.text());
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
