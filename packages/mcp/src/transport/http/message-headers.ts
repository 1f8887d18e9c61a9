import { PROTOCOL_VERSION_META_KEY } from "@modelcontextprotocol/client";
import type { JsonObject } from "@toolweave/core";
import type { OutgoingMessage } from "../messages/channel.ts";
import { encodeHeaderValue } from "./parameter-headers.ts";

/**
 * Parameter with the subject of a request, by method (2026-07-28, Transports, Standard Request Headers; the tasks
 * extension, Streamable HTTP).
 */
const subjects: Readonly<Record<string, string>> = {
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/cancel": "taskId",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tools/call": "name",
};

/** Protocol version that a request of the newer protocol carries. */
export function getVersion({ id, method, params }: OutgoingMessage): string | undefined {
  if (id === undefined || method === undefined) return undefined;
  const version = (params?.["_meta"] as JsonObject | undefined)?.[PROTOCOL_VERSION_META_KEY];
  return typeof version === "string" ? version : undefined;
}

/** Headers that repeat the method and subject of a request of the newer protocol for proxies. */
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
