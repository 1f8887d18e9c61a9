import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { bearerTokens, consoleHandler, type ConsoleHandler } from "@toolweave/console";
import { ToolExecutor, ToolRegistry, type JsonObject, type ToolCall } from "@toolweave/core";
import {
  argumentsSchemaOf,
  isExactNumber,
  isSameNumber,
  parseLossless,
} from "@toolweave/core/adapter";
import { mcpSource, type McpSource } from "@toolweave/mcp";
import { serveMcp, type McpGateway } from "@toolweave/mcp/serve";
import { openApiSource } from "@toolweave/openapi";
import {
  anthropicTools,
  bedrockTools,
  geminiTools,
  openAiChatTools,
  openAiResponsesTools,
} from "@toolweave/providers";
import { inFullRun } from "@toolweave/test-support";
import { decimals, integers, isLong, remedy } from "@toolweave/test-support/numbers";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CliIo } from "../src/process/cli-io.ts";
import { readObjectOption } from "../src/input/json-option.ts";
import { parseArguments } from "../src/input/parse-arguments.ts";

// Every way by which a call arrives, and every place of a request to which its numbers go.

const tools = ["post_item", "echo"] as const;

/** The parts of the last request of a tool, by the names of the arguments. */
let received: Record<string, string> | undefined;
let server: Server;
let upstream: McpSource;
let executor: ToolExecutor;
let gateway: McpGateway;
let studio: ConsoleHandler;
let stdio: { readonly ask: (line: string) => Promise<string>; readonly close: () => void };

const number = { type: "number" };
const properties = {
  id: { type: "integer" },
  q: number,
  n: number,
  list: { type: "array", items: { anyOf: [{ type: "integer" }, { type: "null" }] } },
};

const document = {
  openapi: "3.1.0",
  info: { title: "Numbers", version: "1" },
  paths: {
    "/items/{id}": {
      post: {
        operationId: "postItem",
        parameters: [
          { in: "path", name: "id", required: true, schema: properties.id },
          { in: "query", name: "q", schema: properties.q },
        ],
        requestBody: {
          content: {
            "application/json": {
              schema: { type: "object", properties: { n: properties.n, list: properties.list } },
            },
          },
        },
        responses: {
          200: { description: "ok", content: { "application/json": { schema: {} } } },
        },
      },
    },
  },
};

/** Reads `{"n":1,"list":[2]}` without JavaScript's numbers. */
function readWritten(json: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, key, value] of json.matchAll(/"(id|q|n|list)":\[?([^,}\]]*)/g)) {
    found[key as string] = value as string;
  }
  return found;
}

beforeAll(async () => {
  server = createServer((request, response) => {
    void (async () => {
      let body = "";
      for await (const part of request) body += String(part);
      response.setHeader("content-type", "application/json");
      const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
      if (pathname !== "/mcp") {
        const id = pathname.slice("/items/".length);
        const q = searchParams.get("q");
        received = { id, ...(q === null ? {} : { q }), ...readWritten(body) };
        return response.end(`{"id":${id}}`);
      }
      if (request.method !== "POST") return response.writeHead(405).end();
      const { id, method } = JSON.parse(body) as { id?: number | string; method: string };
      if (id === undefined) return response.writeHead(202).end();
      const answer = (result: string): unknown =>
        response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
      if (method === "initialize") {
        return answer(
          '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}',
        );
      }
      if (method === "tools/list") {
        const inputSchema = { type: "object", properties };
        return answer(JSON.stringify({ tools: [{ name: "echo", inputSchema }] }));
      }
      if (method !== "tools/call") {
        return response.end(
          `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"Method not found"}}`,
        );
      }
      received = readWritten(body);
      return answer(`{"structuredContent":{"id":${received["id"]}}}`);
    })();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  upstream = mcpSource({ name: "s", url: `${origin}/mcp`, prefix: false });
  const source = openApiSource.fromDocument(document, { baseUrl: origin });
  const registry = new ToolRegistry([source, upstream]);
  await registry.load();
  executor = new ToolExecutor({ registry, policy: "autonomous" });
  gateway = serveMcp(registry, executor);
  const ada = { token, caller: { id: "ada" }, scopes: ["read", "call"] } as const;
  const { pendingCalls } = executor;
  studio = consoleHandler({
    executor,
    stores: { pendingCalls },
    authenticate: bearerTokens([ada]),
    origins: ["http://127.0.0.1"],
  });
  const input = new PassThrough();
  const output = new PassThrough();
  const connection = gateway.stdio({ input, output });
  const waiting: ((line: string) => void)[] = [];
  output.on("data", (chunk: Buffer) => {
    for (const line of chunk.toString().split("\n").filter(Boolean)) waiting.shift()?.(line);
  });
  stdio = {
    ask: (line) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        input.write(`${line}\n`);
      }),
    close: () => void connection.close(),
  };
  await stdio.ask(initialize);
  input.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
});

afterAll(async () => {
  stdio?.close();
  await gateway?.close({ graceMs: 0 });
  await executor?.registry.close();
  await new Promise((resolve) => server.close(resolve));
});

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "c", version: "1" },
  },
});

let calls = 0;

/** The texts that the caller reads. */
async function execute(call: Omit<ToolCall, "id">): Promise<string> {
  const outcome = await executor.execute({ id: `call ${++calls}`, ...call });
  if (outcome.status === "interrupted") throw new Error("it waits for approval");
  return outcome.result.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

const post = (headers: Record<string, string>, body: string): Promise<Response> =>
  gateway.fetch(
    new Request("http://127.0.0.1/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body,
    }),
  );

const toRequest = (name: string, args: string, meta = "{}"): string =>
  `{"jsonrpc":"2.0","id":${++calls},"method":"tools/call","params":{"name":"${name}","arguments":${args},"_meta":${meta}}}`;

let session: Promise<string> | undefined;

async function startSession(): Promise<string> {
  const response = await post({}, initialize);
  await response.text();
  const id = response.headers.get("mcp-session-id") as string;
  const begun = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
  await post({ "mcp-session-id": id }, begun);
  return id;
}

const token = "a-token-of-32-characters-or-more-0";

/** A request to the API of Studio. */
async function ask(path: string, body?: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const init = body === undefined ? { headers } : { method: "POST", headers, body };
  return (await studio(new Request(`http://127.0.0.1${path}`, init))).text();
}

interface Door {
  /** Another parser reads the arguments: it keeps 17 digits of a number. */
  readonly isParsed?: true;
  call(name: string, args: string): Promise<string>;
}

const io = {} as CliIo;

/** Amazon's class for numbers that JavaScript would change. */
class NumericValue {
  readonly string: string;
  readonly type = "bigDecimal";
  constructor(text: string) {
    this.string = text;
  }
}

const doors: Readonly<Record<string, Door>> = {
  "the executor, as a text": { call: (name, args) => execute({ name, arguments: args }) },
  "the executor, as a value": {
    call: (name, args) => execute({ name, arguments: parseLossless(args) as JsonObject }),
  },
  "--args": {
    async call(name, args) {
      return execute({ name, arguments: await readObjectOption("--args", args, io) });
    },
  },
  "key=value": {
    async call(name, args) {
      const tool = executor.registry.get(name);
      if (tool === undefined) throw new Error(name);
      const words = Object.entries(readWritten(args)).map(
        ([key, value]) => `${key}=${value.replaceAll('"', "")}`,
      );
      return execute({ name, arguments: parseArguments(words, argumentsSchemaOf(tool)) });
    },
  },
  "the gateway of 2025-11-25": {
    async call(name, args) {
      const headers = { "mcp-session-id": await (session ??= startSession()) };
      return (await post(headers, toRequest(name, args))).text();
    },
  },
  "the gateway of 2026-07-28": {
    async call(name, args) {
      const headers = {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": name,
      };
      const meta =
        '{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';
      return (await post(headers, toRequest(name, args, meta))).text();
    },
  },
  "the gateway over stdio": { call: (name, args) => stdio.ask(toRequest(name, args)) },
  "the API of Studio": {
    async call(name, args) {
      const started = await ask("/api/calls", `{"name":"${name}","arguments":${args}}`);
      const { callId } = JSON.parse(started) as { readonly callId?: string };
      if (callId === undefined) return started;
      for (;;) {
        const state = await ask(`/api/calls/${callId}`);
        if (!state.includes('"status":"running"')) return state;
        await sleep(1);
      }
    },
  },
  "OpenAI, Chat Completions": {
    call(name, args) {
      const calls = openAiChatTools(executor.toolset).calls({
        choices: [{ message: { tool_calls: [fn(name, args)] } }],
      });
      return execute(calls[0] as ToolCall);
    },
  },
  "OpenAI, Chat Completions, strict": {
    call(name, args) {
      const calls = openAiChatTools(executor.toolset, { strict: true }).calls({
        choices: [{ message: { tool_calls: [fn(name, args)] } }],
      });
      return execute(calls[0] as ToolCall);
    },
  },
  "OpenAI, Responses": {
    call(name, args) {
      const item: object = { type: "function_call", call_id: "c", name, arguments: args };
      const calls = openAiResponsesTools(executor.toolset).calls({ output: [item] });
      return execute(calls[0] as ToolCall);
    },
  },
  Anthropic: {
    isParsed: true,
    call(name, args) {
      const input: unknown = JSON.parse(args);
      const block: object = { type: "tool_use", id: "c", name, input };
      const calls = anthropicTools(executor.toolset).calls({ content: [block] });
      return execute(calls[0] as ToolCall);
    },
  },
  Gemini: {
    isParsed: true,
    call(name, args) {
      const functionCall = { name, args: JSON.parse(args) as unknown };
      const calls = geminiTools(executor.toolset).calls({
        candidates: [{ content: { parts: [{ functionCall }] } }],
      });
      return execute(calls[0] as ToolCall);
    },
  },
  "Bedrock's SDK": {
    call(name, args) {
      const input: unknown = JSON.parse(args, (_key, value: unknown, context?: unknown) => {
        const { source } = (context ?? {}) as { readonly source?: string };
        if (typeof value !== "number" || source === undefined) return value;
        if (isExactNumber(source, value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER)
          return value;
        return /^-?[0-9]+$/.test(source) ? BigInt(source) : new NumericValue(source);
      });
      const calls = bedrockTools(executor.toolset).calls({
        output: { message: { content: [{ toolUse: { toolUseId: "c", name, input } }] } },
      });
      return execute(calls[0] as ToolCall);
    },
  },
};

function fn(name: string, args: string): object {
  return { id: "c", type: "function", function: { name, arguments: args } };
}

test("a number arrives everywhere as it was written, or the call is refused with a remedy", async () => {
  const counts = { exact: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.entries(doors)),
      fc.constantFrom(...tools),
      integers,
      fc.oneof(integers, decimals),
      fc.boolean(),
      async ([door, { isParsed, call }], name, id, n, isText) => {
        fc.pre(isParsed !== true || isLong(n) || isExactNumber(n));
        const write = (text: string): string => (isText && isLong(text) ? `"${text}"` : text);
        const [one, other] = [write(id), write(n)];
        const sent = `{"id":${one},"q":${other},"n":${other},"list":[${one}]}`;
        received = undefined;
        let answer: string;
        try {
          answer = await call(name, sent);
        } catch (error) {
          answer = String(error);
        }
        const context = `${door}: ${name} ${sent} → ${JSON.stringify(received)} ${answer}`;
        if (received === undefined) {
          counts.refused += 1;
          assert(remedy.test(answer), context);
          return;
        }
        counts.exact += 1;
        const expected = { id, q: n, n, list: id };
        for (const [key, value] of Object.entries(expected)) {
          const arrived = decodeURIComponent((received as Record<string, string>)[key] ?? "");
          assert(isSameNumber(arrived.replace("e+", "e"), value), `${key}, ${context}`);
        }
        assert(answer.includes(id), context);
      },
    ),
    { numRuns: inFullRun(10_000, 300) },
  );
  expect(counts.exact).toBeGreaterThan(counts.refused);
});
