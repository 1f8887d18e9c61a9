import type { JsonObject, JsonValue } from "@toolweave/core";
import type { Seen } from "@toolweave/test-support/mcp-client";

/** Before our names. */
export const prefix = "s__";

/** The gateway's own offers beside the server's tools. */
const own = new Set<unknown>(["read_artifact", "task_status", "task_result", "task_cancel"]);

/**
 * The comparison ignores properties of the connection: ids, times and names, the members that the
 * newer protocol adds to every result, and the order of members.
 */
export function view(
  { answer, error, progress, asked }: Seen,
  asksForRoots: boolean,
  only?: readonly string[],
): JsonObject {
  return {
    ...(answer === undefined ? {} : { answer: comparable(ofResult(answer as JsonObject, only)) }),
    ...(error === undefined ? {} : { error: comparable(ofError(error)) }),
    progress: comparable(progress),
    asked: comparable(
      asked
        .map((question) => ofQuestion(question as JsonObject))
        // Servers may request roots at any time, and server-everything does so some time after the
        // connection.
        .filter(({ method }) => asksForRoots || method !== "roots/list"),
    ),
  };
}

/** A list of definitions, with the server's names, by them. */
export function viewOfList(list: readonly JsonObject[], key: string): JsonObject {
  const named = list.map((entry): [string, JsonValue] => {
    // How a call becomes a task is tested elsewhere: the newer protocol leaves that to the server.
    const { execution: _execution, ...rest } = entry;
    const name = unprefixed(String(entry[key]));
    return [name, { ...rest, [key]: name }];
  });
  return Object.fromEntries(named.filter(([name]) => !own.has(name)));
}

function ofResult(
  { resultType: _type, ttlMs: _ttl, cacheScope: _scope, _meta, ...all }: JsonObject,
  only?: readonly string[],
): JsonObject {
  const rest = only === undefined ? all : { ...all, content: chosen(all["content"], only) };
  const { "io.modelcontextprotocol/serverInfo": _server, ...meta } = (_meta ?? {}) as JsonObject;
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}

/** Texts that are JSON objects, with only these members. */
function chosen(content: JsonValue | undefined, only: readonly string[]): JsonValue {
  return (content as readonly JsonObject[]).map(({ text, ...block }) => {
    const members = JSON.parse(String(text)) as JsonObject;
    return { ...block, text: JSON.stringify(only.map((name) => [name, members[name] ?? null])) };
  });
}

/** The SDK writes the code before the message, and some servers do, too. */
function ofError({ message, ...rest }: JsonObject): JsonObject {
  return { ...rest, message: String(message).replace(/^(?:MCP error -?\d+: )+/, "") };
}

/**
 * The message names the server: clients only know the gateway. The newer protocol has no ids of
 * questions.
 */
function ofQuestion({ method, params }: JsonObject): JsonObject {
  const { _meta, elicitationId: _id, message, mode, ...rest } = params as JsonObject;
  return {
    method: method ?? null,
    params: {
      ...rest,
      ...(mode === undefined || mode === "form" ? {} : { mode }),
      ...(message === undefined
        ? {}
        : { message: String(message).replace(/^The MCP server s asks: /, "") }),
    },
  };
}

function comparable(value: JsonValue | readonly JsonValue[]): JsonValue {
  if (typeof value === "string") return comparableText(value);
  if (typeof value !== "object" || value === null) return value as JsonValue;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(comparable);
  const entries = Object.entries(value).map(([key, member]): [string, JsonValue] =>
    key === "blob" ? [key, ofBlob(String(member))] : [key, comparable(member)],
  );
  return Object.fromEntries(entries);
}

const uuid = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

function comparableText(text: string): JsonValue {
  const json = /^(?:\nRaw result: |LLM sampling result: \n)?(\{[^]*\})$/.exec(text)?.[1];
  if (json !== undefined) return comparable(JSON.parse(json) as JsonValue);
  return text.replaceAll(uuid, "<id>").replaceAll(/created at [\d:]+ [AP]M/g, "created at <time>");
}

/** Its content: server-everything writes the time into some. */
function ofBlob(blob: string): JsonValue {
  const text = Buffer.from(blob, "base64").toString();
  return text.includes("created at") ? comparableText(text) : blob;
}

function unprefixed(name: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}
