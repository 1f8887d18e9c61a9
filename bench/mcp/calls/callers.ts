import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as AiStdioTransport } from "@ai-sdk/mcp/mcp-stdio";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { MCPServerStdio, MCPServerStreamableHttp } from "@openai/agents";
import { ToolExecutor, ToolRegistry, type ToolContext } from "@toolweave/core";
import { mcpSource } from "@toolweave/mcp";
import { join } from "node:path";
import { inSession } from "./in-session.ts";

/** Makes one call, and returns the received text. */
export type Caller = (text: string) => Promise<unknown>;

const command = process.execPath;
const args = [join(import.meta.dirname, "stdio-server.ts")];

const started = inSession(args);

interface Answer {
  readonly content?: unknown;
}

/** The text of the first block. */
export function readText(answer: unknown): unknown {
  const { content } = answer as Answer;
  return Array.isArray(content) ? (content[0] as { readonly text?: unknown }).text : undefined;
}

/** The baseline of every ratio. */
export const floor = "sdk v1 callTool";

/** Each way to call the echo server: over stdio without a URL, otherwise over Streamable HTTP. */
export const callers: Readonly<Record<string, (url: string | undefined) => Promise<Caller>>> = {
  [floor]: async (url) => {
    const client = new ClientV1({ name: "bench", version: "1" });
    const transport = url === undefined ? new StdioV1(started) : new HttpV1(new URL(url));
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    return async (text) => readText(await client.callTool({ name: "echo", arguments: { text } }));
  },
  "toolweave executor": async (url) => {
    const registry = new ToolRegistry([toolweave(url)]);
    await registry.ready;
    const executor = new ToolExecutor({ registry });
    return async (text) => {
      const call = { id: "1", name: "echo__echo", arguments: { text } };
      const outcome = await executor.execute(call);
      return outcome.status === "completed" ? readText(outcome.result) : outcome;
    };
  },
  "toolweave tool": async (url) => {
    const source = toolweave(url);
    await source.ready;
    const tool = source.tools()[0];
    const { signal } = new AbortController();
    const context = {
      signal,
      progress() {},
      idempotencyKey: async () => "k",
    } as unknown as ToolContext;
    return async (text) => readText(await tool?.invoke({ text }, context));
  },
  "sdk v2 callTool": async (url) => {
    const client = new ClientV2({ name: "bench", version: "1" });
    await client.connect(url === undefined ? new StdioV2(started) : new HttpV2(new URL(url)));
    return async (text) => readText(await client.callTool({ name: "echo", arguments: { text } }));
  },
  "ai sdk": async (url) => {
    const transport =
      url === undefined ? new AiStdioTransport(started) : { type: "http" as const, url };
    const { echo } = await (await createMCPClient({ transport })).tools();
    return async (text) =>
      readText(
        await echo?.execute({ text }, {
          toolCallId: "1",
          messages: [],
          context: undefined,
        } as never),
      );
  },
  langchain: async (url) => {
    const server = url === undefined ? { transport: "stdio" as const, ...started } : { url };
    const client = new MultiServerMCPClient({ mcpServers: { echo: server } });
    const [tool] = await client.getTools();
    return (text) => tool?.invoke({ text }) as Promise<unknown>;
  },
  "openai agents": async (url) => {
    const server =
      url === undefined ? new MCPServerStdio(started) : new MCPServerStreamableHttp({ url });
    await server.connect();
    return async (text) => readText({ content: await server.callTool("echo", { text }) });
  },
};

function toolweave(url: string | undefined): ReturnType<typeof mcpSource> {
  const reached = url === undefined ? { command, args } : { url };
  return mcpSource({ name: "echo", ...reached, trustAnnotations: true });
}
