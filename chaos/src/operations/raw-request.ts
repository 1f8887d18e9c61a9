import type { JsonObject } from "@toolweave/core";
import type { ClientError } from "../history/history.ts";
import { toErrorType } from "./gateway-answers.ts";

/** A response of the protocol. */
export interface RawResponse {
  readonly result?: JsonObject;
  readonly error?: JsonObject;
}

/** There is no response. `not-sent`: the gateway has not received the request. */
export interface NoResponse {
  readonly lost: ClientError["type"] | "not-sent";
  readonly text: string;
}

const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };

/** Sends one request of 2026-07-28 of a client that supports tasks. */
export async function rawRequest(
  url: string,
  method: string,
  params: JsonObject,
): Promise<RawResponse | NoResponse> {
  const name = params["name"] ?? params["taskId"];
  const body = {
    ...{ jsonrpc: "2.0", id: 1, method },
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
      },
    },
  };
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        ...(typeof name === "string" ? { "mcp-name": name } : {}),
        // A connection that is used again may have been closed meanwhile.
        connection: "close",
      },
      body: JSON.stringify(body),
    });
    return readResponse(response.status, await response.text());
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: string } };
    const text = `${String(error)} ${String(cause)}`;
    return { lost: cause?.code === "ECONNREFUSED" ? "not-sent" : toErrorType(text), text };
  }
}

function readResponse(status: number, text: string): RawResponse | NoResponse {
  // A gateway that is shutting down has not done anything.
  if (status === 503) return { lost: "not-sent", text };
  const event = text.split("\n").findLast((line) => line.startsWith("data: {"));
  const data = event?.slice("data: ".length) ?? text;
  if (status === 502) return { lost: toErrorType(data), text: data };
  if (!data.startsWith("{")) return { lost: "connection-lost", text: `HTTP ${status}: ${text}` };
  return JSON.parse(data) as RawResponse;
}
