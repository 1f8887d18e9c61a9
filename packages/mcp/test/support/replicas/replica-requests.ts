import type { JsonObject } from "@toolweave/core";
import { requestFor } from "../open-gateway.ts";
import { knowingTasks } from "../task-client.ts";

/** A client that can be asked, and supports tasks. */
export const capable: JsonObject = { ...knowingTasks, elicitation: { form: {} } };

/** A response: its status, and the message of the protocol that it ends with. */
export interface Answer {
  readonly status: number;
  readonly result?: JsonObject;
  readonly error?: JsonObject;
}

/** The parts of a request of the newer protocol. */
export interface Asking {
  /** The name of the caller. */
  readonly caller?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly capabilities?: JsonObject;
}

/** Sends one request of the newer protocol, in wire format. */
export async function ask(
  url: string,
  method: string,
  params: JsonObject,
  { caller = "ann", headers = {}, capabilities = { elicitation: { form: {} } } }: Asking = {},
): Promise<Answer> {
  const request = requestFor(url, method, params, capabilities);
  request.headers.set("authorization", `Bearer ${caller}`);
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
  return read(await fetch(request));
}

/** The protocol's message in a response. */
async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  const data =
    text
      .split("\n")
      .findLast((line) => line.startsWith("data: {"))
      ?.slice(6) ?? text;
  const message = data.startsWith("{") ? (JSON.parse(data) as JsonObject) : {};
  return { status: response.status, ...message } as unknown as Answer;
}

/** Headers of a request of 2025-11-25. */
function sessionHeaders(session: string | undefined, caller: string): Record<string, string> {
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    authorization: `Bearer ${caller}`,
    "mcp-protocol-version": "2025-11-25",
    ...(session === undefined ? {} : { "mcp-session-id": session }),
  };
}

/** Starts a session of 2025-11-25; returns its id. */
export async function startSession(url: string, caller = "ann"): Promise<string> {
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  const headers = sessionHeaders(undefined, caller);
  const response = await fetch(url, { method: "POST", headers, body });
  await response.text();
  return response.headers.get("mcp-session-id") ?? "";
}

/** Sends one request in a session. */
export async function askIn(
  url: string,
  session: string,
  method: string,
  params: JsonObject,
  { caller = "ann", signal }: { readonly caller?: string; readonly signal?: AbortSignal } = {},
): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = sessionHeaders(session, caller);
  return read(
    await fetch(url, {
      method: "POST",
      headers,
      body,
      ...(signal === undefined ? {} : { signal }),
    }),
  );
}

/** Opens the stream of a session, or ends the session. */
export function fetchIn(
  url: string,
  session: string,
  method: "GET" | "DELETE",
  { caller = "ann", signal }: { readonly caller?: string; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  const headers = { ...sessionHeaders(session, caller), accept: "text/event-stream" };
  return fetch(url, { method, headers, ...(signal === undefined ? {} : { signal }) });
}
