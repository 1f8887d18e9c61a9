import type {
  CanUseTool,
  McpSdkServerConfigWithInstance,
  OnElicitation,
  Options,
} from "@anthropic-ai/claude-agent-sdk";
import type { Transport } from "@modelcontextprotocol/server";
import {
  checkOptions,
  isToolName,
  ToolError,
  type Caller,
  type ToolExecutor,
} from "@toolweave/core";
import { Gateway } from "../gateway/serve-mcp.ts";
import {
  checkedOptions,
  optionNames,
  type ServeMcpOptions,
} from "../gateway/clients/serve-options.ts";
import { AskingTransport } from "./asking-transport.ts";
import { Permissions } from "./permissions.ts";

/** How an executor's tools are given to the Claude Agent SDK. */
export interface ClaudeToolsOptions extends Omit<ServeMcpOptions, "approvals" | "key"> {
  /** Names the server: tools are `mcp__<name>__<tool>` there. Letters, digits, `_` and `-`. Default: `toolweave`. */
  readonly name?: string;
  /** On whose behalf the agent calls. */
  readonly caller?: Caller;
  /** The session that approvals, grants and artifacts belong to. Default: a new one. */
  readonly sessionId?: string;
  /**
   * Asks a person, as the SDK's own option of that name: about a call of these tools only when the policy wants to know,
   * about every other tool as ever. Without it `onElicitation` is asked about these tools, and calls of others that need
   * permission are denied.
   */
  readonly canUseTool?: CanUseTool;
  /**
   * Asks a person what a call needs on its way: input, a page to sign in at, an approval that a tool needs while it runs.
   * As the SDK's own option of that name, for these tools: without it such calls say how they are answered elsewhere.
   */
  readonly onElicitation?: OnElicitation;
}

/** An executor's tools for the Claude Agent SDK. */
export interface ClaudeTools {
  /** For `query({ options })`, of any number of queries. */
  readonly options: Pick<Options, "canUseTool" | "permissionMode"> & {
    readonly mcpServers: Record<string, McpSdkServerConfigWithInstance>;
    readonly canUseTool: CanUseTool;
  };
  /**
   * Ends it: new calls are refused, those under way have `graceMs` (default 10,000), then they are cancelled. Executor and
   * registry stay open. Idempotent.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

const ownNames: readonly string[] = ["caller", "sessionId", "canUseTool", "onElicitation"];
const notHere: readonly string[] = ["approvals", "key"];

/**
 * Gives an executor's tools to the Claude Agent SDK, as an MCP server in this process. Every call goes through the
 * executor's pipeline. What the policy asks about comes to `canUseTool`, and runs once that has allowed it; cancelling the
 * query cancels the calls.
 *
 * @param executor whose registry is served.
 * @returns options to spread into those of `query`. They set `permissionMode` to `default`: in others the SDK may decide
 * without asking, and a call that the policy asks about is then asked about by `onElicitation`, or does not run.
 * @throws ToolError `internal` when an option cannot be meant.
 * @example
 * ```ts
 * const claude = claudeTools(executor, { canUseTool: askInTheTerminal });
 * for await (const message of query({ prompt, options: { ...claude.options } })) show(message);
 * await claude.close();
 * ```
 */
export function claudeTools(executor: ToolExecutor, options: ClaudeToolsOptions = {}): ClaudeTools {
  const known = [...optionNames, ...ownNames].filter((name) => !notHere.includes(name));
  checkOptions("claudeTools", options, known);
  const { caller, sessionId, canUseTool, onElicitation, ...served } = options;
  const { name = "toolweave" } = served;
  if (!isToolName(name) || name.includes("__")) {
    throw new ToolError(
      "internal",
      `claudeTools: name is "${name}"; use letters, digits, _ and -.`,
    );
  }
  const gateway = new Gateway(executor, {
    ...checkedOptions(served),
    forModel: true,
    prepared: (params) => permissions.prepared(params),
  });
  const client = gateway.client(caller, sessionId ?? crypto.randomUUID());
  const permissions = new Permissions(gateway, client, name, canUseTool, served.callMetadata);
  // All that the SDK does with a server is to connect it: anew for each query.
  const instance = {
    connect: (transport: Transport) =>
      gateway.connect(new AskingTransport(transport, name, onElicitation), client),
  };
  const server = { type: "sdk", name, instance } as unknown as McpSdkServerConfigWithInstance;
  return {
    options: {
      mcpServers: { [name]: server },
      canUseTool: permissions.canUseTool,
      permissionMode: "default",
    },
    close: async (closing) => {
      await gateway.close(closing);
      gateway.forget(client);
    },
  };
}
