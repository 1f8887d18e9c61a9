import type { CanUseTool, PermissionResult } from "@anthropic-ai/claude-agent-sdk";
import { Client } from "@modelcontextprotocol/client";
import {
  InMemoryTransport,
  type CallToolResult,
  type Transport,
} from "@modelcontextprotocol/server";
import {
  ToolExecutor,
  ToolRegistry,
  type ExecutorOptions,
  type JsonObject,
  type Tool,
} from "@toolweave/core";
import { onTestFinished } from "vitest";
import { claudeTools, type ClaudeTools, type ClaudeToolsOptions } from "../../src/claude/index.ts";

/** The SDK's side of `claudeTools`, written here: to do what the real one never would. */
export interface ClaudeProcess {
  readonly executor: ToolExecutor;
  readonly claude: ClaudeTools;
  /** As for a tool of these. */
  ask(name: string, input: object, more?: object): Promise<PermissionResult | null>;
  /** `tools/call`, with the id of the model's call. */
  call(name: string, input: object, id?: string, signal?: AbortSignal): Promise<CallToolResult>;
  /** One more connection, as for another query. */
  connect(): Promise<Client>;
}

/** Tools of an executor, and a client that is connected to them. */
export async function claudeProcess(
  tools: readonly Tool[],
  options: ClaudeToolsOptions = {},
  executorOptions: Omit<ExecutorOptions, "registry"> = {},
): Promise<ClaudeProcess> {
  const executor = new ToolExecutor({ registry: new ToolRegistry([...tools]), ...executorOptions });
  const claude = claudeTools(executor, options);
  onTestFinished(() => claude.close({ graceMs: 0 }));
  const [server] = Object.values(claude.options.mcpServers);
  const connect = async (): Promise<Client> => {
    const [theirs, ours] = InMemoryTransport.createLinkedPair();
    const connected = server?.instance.connect(ours as Transport as never);
    const client = new Client(
      { name: "claude-code", version: "1" },
      { versionNegotiation: { mode: "legacy" } },
    );
    // Methods that are not served would not be answered either.
    await Promise.all([connected, client.connect(theirs)]);
    onTestFinished(() => client.close());
    return client;
  };
  const client = await connect();
  return {
    executor,
    claude,
    ask: (name, input, more = {}) =>
      claude.options.canUseTool(`mcp__toolweave__${name}`, { ...input }, asking(more)),
    call: (name, input, id = "toolu_1", signal) =>
      client.callTool(
        { name, arguments: input as JsonObject, _meta: { "claudecode/toolUseId": id } },
        signal === undefined ? {} : { signal },
      ) as Promise<CallToolResult>,
    connect,
  };
}

/** The fields that the SDK sends with its question. */
export function asking(more: object = {}): Parameters<CanUseTool>[2] {
  return {
    signal: new AbortController().signal,
    toolUseID: "toolu_1",
    requestId: "r1",
    mcpServer: { name: "toolweave", source: "sdk" },
    ...more,
  };
}
