import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { ToolExecutor, ToolRegistry, type JsonObject, type JsonValue } from "@toolweave/core";
import { mcpSource, type McpHttpServer } from "@toolweave/mcp";
import { compileCache } from "@toolweave/test-support";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { findIncomplete, observeContent, pickPresent, readRows, type Report } from "./rows.ts";

/** A reply of the server to one message. `$id` in `json`, `text` and `events` is the id of the message. */
interface Reply {
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The result of a proper JSON-RPC response. */
  readonly result?: JsonObject;
  /** The error of a proper JSON-RPC response. */
  readonly error?: JsonObject;
  /** The whole body. */
  readonly json?: JsonValue;
  readonly text?: string;
  /** The data of server-sent events. */
  readonly events?: readonly JsonValue[];
}

/** One reported case. */
interface Row extends Report {
  /** A server as a process: what it writes before its first reply, and whether each reply comes in two pieces. */
  readonly stdio?: { readonly writes?: string; readonly splits?: boolean };
  /** Default: one without parameters, called `t`. */
  readonly tools?: readonly JsonObject[];
  /**
   * The replies to a method, in order; the last one repeats. Default: those of a server of 2025-11-25. `GET` is the
   * request for a stream.
   */
  readonly replies?: Readonly<Record<string, readonly Reply[]>>;
  readonly options?: Partial<McpHttpServer>;
  /** The arguments of each call. Default: nothing is called. */
  readonly calls?: readonly JsonObject[];
  /** The methods that the server received; requests for a stream are left out. */
  readonly received?: readonly string[];
  /** The names of the tools of the source. */
  readonly lists?: readonly string[];
  /** The structured result of the last call. */
  readonly value?: JsonValue;
  /** A text of a problem; empty: there is none. */
  readonly problem?: string;
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
}

const cases = await readRows<Row>("mcp");

const plainTool: JsonObject = { name: "t", inputSchema: { type: "object" } };

/** The reply of a proper server of 2025-11-25, which has sessions. */
function replyProperly(method: string, row: Row): Reply {
  if (method === "server/discover")
    return { error: { code: -32_601, message: "Method not found" } };
  if (method === "initialize") {
    const result = {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "raw", version: "1" },
    };
    return { result, headers: { "mcp-session-id": "session" } };
  }
  if (method === "tools/list") return { result: { tools: [...(row.tools ?? [plainTool])] } };
  if (method === "tools/call") return { result: { content: [{ type: "text", text: "done" }] } };
  return method.startsWith("notifications/") ? { status: 202, text: "" } : { result: {} };
}

function send(response: ServerResponse, { id }: Message, reply: Reply): void {
  const { status = 200, headers = {}, result, error, json, events } = reply;
  const withId = (content: unknown): string =>
    JSON.stringify(content).replaceAll('"$id"', JSON.stringify(id ?? null));
  if (events !== undefined) {
    response.writeHead(status, { "content-type": "text/event-stream", ...headers });
    response.end(events.map((one) => `data: ${withId(one)}\n\n`).join(""));
    return;
  }
  const proper = result === undefined ? { error } : { result };
  const content = json ?? { jsonrpc: "2.0", id: id ?? null, ...proper };
  const type = reply.text === undefined ? "application/json" : "text/plain";
  response.writeHead(status, { "content-type": type, ...headers });
  response.end(reply.text?.replaceAll("$id", JSON.stringify(id ?? null)) ?? withId(content));
}

/** A server with the replies of a row, and the methods that it received. */
async function serve(row: Row): Promise<{ url: string; received: string[]; close(): void }> {
  const received: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [stream = { status: 405, text: "" }] = row.replies?.["GET"] ?? [];
    if (request.method !== "POST") return send(response, {}, stream);
    const message = JSON.parse(await text(request)) as Message;
    const { method = "response" } = message;
    received.push(method);
    const replies = row.replies?.[method];
    const at = received.filter((one) => one === method).length - 1;
    send(
      response,
      message,
      replies?.[Math.min(at, replies.length - 1)] ?? replyProperly(method, row),
    );
  };
  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    received,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Connects to the server of a row and makes its calls. Returns what the row expects, as it was observed. */
async function observe(row: Row): Promise<Partial<Row>> {
  const { url, received, close } = await serve(row);
  const program = fileURLToPath(new URL("stdio-server.ts", import.meta.url));
  const source = mcpSource(
    row.stdio === undefined
      ? { name: "s", url, prefix: false, ...row.options }
      : {
          name: "s",
          command: process.execPath,
          args: [program, JSON.stringify(row.stdio)],
          env: compileCache,
          prefix: false,
        },
  );
  const registry = new ToolRegistry([source]);
  try {
    await registry.ready.catch(() => {});
    const executor = new ToolExecutor({ registry, policy: "autonomous" });
    const problems = registry.problems.map(({ message }) => message).join("\n");
    const names = source.tools().map(({ spec }) => spec.name);
    const loaded = {
      ...(row.lists === undefined ? {} : { lists: names }),
      ...(row.problem === undefined
        ? {}
        : {
            problem: row.problem !== "" && problems.includes(row.problem) ? row.problem : problems,
          }),
    };
    let called = {};
    for (const [index, args] of (row.calls ?? []).entries()) {
      const call = { id: `${index}`, name: names[0] ?? "", arguments: args };
      const outcome = await executor.execute(call);
      const value = outcome.status === "interrupted" ? undefined : outcome.result.value;
      called = {
        ...(row.value === undefined ? {} : { value }),
        ...observeContent(row, outcome),
      };
    }
    return { ...loaded, ...called, ...(row.received === undefined ? {} : { received }) };
  } finally {
    await registry.close();
    close();
  }
}

function getExpected(row: Row): Partial<Row> {
  return pickPresent(row, ["received", "lists", "value", "problem", "text", "lacks", "refuses"]);
}

test("each row names its reports, its verdict, its source and what is expected", () => {
  expect(findIncomplete(cases)).toEqual([]);
  expect(cases.filter(({ row }) => Object.keys(getExpected(row)).length === 0)).toEqual([]);
});

test.each(cases.map((one) => ({ ...one, is: one.row.is })))("$table: $is", async ({ row }) => {
  expect(await observe(row)).toEqual(getExpected(row));
});
