import {
  Client,
  StreamableHTTPClientTransport,
  type ClientOptions,
} from "@modelcontextprotocol/client";
import {
  defineTool,
  ToolExecutor,
  ToolRegistry,
  type Caller,
  type ExecutorOptions,
  type JsonObject,
  type Tool,
} from "@toolweave/core";
import { onTestFinished } from "vitest";
import {
  listenHttp,
  serveMcp,
  type McpGateway,
  type ServeMcpOptions,
} from "../../src/gateway/index.ts";

/** Both generations of the protocol. */
export const eras = ["legacy", "modern"] as const;

/** One of them. */
export type Era = (typeof eras)[number];

/** A gateway that listens until the test is done. */
export interface Serving {
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  readonly gateway: McpGateway;
  /** For requests without a caller. */
  readonly url: string;
  /** For requests of this caller. */
  as(caller: Caller): Promise<string>;
}

/** The tools and options of a gateway. */
export interface ServingOptions {
  readonly tools?: readonly Tool[];
  readonly executor?: Omit<ExecutorOptions, "registry">;
  readonly gateway?: ServeMcpOptions;
}

/** Serves tools over HTTP. Everything is allowed unless `executor.policy` differs. */
export async function serving(options: ServingOptions = {}): Promise<Serving> {
  const registry = new ToolRegistry([...(options.tools ?? [])]);
  const executor = new ToolExecutor({ registry, policy: "autonomous", ...options.executor });
  const gateway = serveMcp(registry, executor, options.gateway);
  onTestFinished(() => gateway.close({ graceMs: 0 }));
  const listen = async (caller?: Caller): Promise<string> => {
    const listener = await listenHttp({
      fetch: (request) => gateway.fetch(request, caller === undefined ? {} : { caller }),
    });
    onTestFinished(() => listener.close(0));
    return listener.url;
  };
  return { registry, executor, gateway, url: await listen(), as: listen };
}

/** The answers of a client's user. */
export type Says = (params: JsonObject) => JsonObject | Promise<JsonObject>;

/** The options of a client. */
export interface ClientMaking {
  readonly capabilities?: ClientOptions["capabilities"];
  readonly says?: Says;
}

/** A client of the SDK. With `says` it can be asked. */
export async function openClient(
  url: string,
  era: Era,
  { says, capabilities }: ClientMaking = {},
): Promise<Client> {
  const client = new Client(
    { name: "host", version: "1" },
    {
      capabilities: capabilities ?? (says === undefined ? {} : { elicitation: { form: {} } }),
      versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" },
    },
  );
  if (says !== undefined) {
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      const answer = await says(params as unknown as JsonObject);
      return answer as { action: "accept" };
    });
  }
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  return client;
}

/** The text of a result. */
export function readText({ content }: { readonly content?: unknown }): string {
  return (content as readonly { readonly text?: string }[]).map(({ text }) => text).join("\n");
}

/** A tool that answers with its argument. */
export function echo(name: string, more: Partial<Parameters<typeof defineTool>[0]> = {}): Tool {
  return defineTool({
    name,
    description: "Says it again.",
    input: { type: "object", properties: { say: { type: "string" } } },
    execute: ({ say }) => String(say),
    ...more,
  } as Parameters<typeof defineTool>[0]) as Tool;
}

/** One request of the newer protocol in wire format; the raw answer. */
export async function post(
  url: string,
  method: string,
  params: JsonObject,
  capabilities: JsonObject = {},
  id: number | string = 1,
): Promise<{ readonly result?: JsonObject; readonly error?: JsonObject }> {
  const response = await fetch(requestFor(url, method, params, capabilities, id));
  const text = await response.text();
  const data = text.split("\n").findLast((line) => line.startsWith("data: {"));
  return JSON.parse(data?.slice(6) ?? text) as { result?: JsonObject; error?: JsonObject };
}

/** The same, not sent yet. */
export function requestFor(
  url: string,
  method: string,
  params: JsonObject,
  capabilities: JsonObject = {},
  id: number | string = 1,
): Request {
  return new Request(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof params["name"] === "string" ? { "mcp-name": params["name"] } : {}),
      ...(typeof params["uri"] === "string" ? { "mcp-name": params["uri"] } : {}),
      ...(typeof params["taskId"] === "string" ? { "mcp-name": params["taskId"] } : {}),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": capabilities,
        },
      },
    }),
  });
}

/** A gate that opens once. */
export function opening(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
