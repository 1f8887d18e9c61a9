import { PROTOCOL_VERSION_META_KEY } from "@modelcontextprotocol/client";
import type { JsonObject } from "@toolweave/core";
import type { OutgoingMessage } from "../messages/channel.ts";
import { encodeHeaderValue } from "./header-value.ts";

/** Which parameter says what a request is about (2026-07-28, Transports, Standard Request Headers; the tasks extension, Streamable HTTP). */
const subjects: Readonly<Record<string, string>> = {
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/cancel": "taskId",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tools/call": "name",
};

/** The version that a request of the newer protocol says it speaks. */
export function getVersion({ id, method, params }: OutgoingMessage): string | undefined {
  if (id === undefined || method === undefined) return undefined;
  const version = (params?.["_meta"] as JsonObject | undefined)?.[PROTOCOL_VERSION_META_KEY];
  return typeof version === "string" ? version : undefined;
}

/** The headers that repeat what a request of the newer protocol says, so that proxies need not read it. */
export function messageHeaders(message: OutgoingMessage): Record<string, string> {
  const version = getVersion(message);
  if (version === undefined) return {};
  const { method = "", params } = message;
  const subject = Object.hasOwn(subjects, method) ? params?.[subjects[method] ?? ""] : undefined;
  return {
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(typeof subject === "string" ? { "mcp-name": encodeHeaderValue(subject) } : {}),
  };
}
