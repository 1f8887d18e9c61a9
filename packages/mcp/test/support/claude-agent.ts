import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  query,
  type Options,
  type Query,
  type SDKResultMessage,
  type SDKUserMessage,
} from "@anthropic-ai/claude-agent-sdk";
import { ToolExecutor, ToolRegistry, type ExecutorOptions, type Tool } from "@toolweave/core";
import { onTestFinished } from "vitest";
import { claudeTools, type ClaudeTools, type ClaudeToolsOptions } from "../../src/claude/index.ts";
import { MessagesApi, type ScriptedTurn } from "./messages-api.ts";

/** An agent of the real SDK, with a model that follows a script. */
export interface ClaudeAgent {
  readonly executor: ToolExecutor;
  readonly claude: ClaudeTools;
  readonly api: MessagesApi;
  /** One conversation. */
  begin(options?: Options, prompt?: AsyncIterable<SDKUserMessage>): Query;
  /** The same, to its end. */
  run(options?: Options): Promise<SDKResultMessage>;
}

/** The parts of an agent. */
export interface ClaudeAgentOptions {
  readonly tools: readonly Tool[];
  readonly turns: readonly ScriptedTurn[];
  readonly claude?: ClaudeToolsOptions;
  readonly executor?: Omit<ExecutorOptions, "registry">;
}

/** The environment of the agent's process: only the path of programs, and a separate home. */
export async function claudeAgent(made: ClaudeAgentOptions): Promise<ClaudeAgent> {
  const home = mkdtempSync(join(tmpdir(), "toolweave-claude-"));
  const registry = new ToolRegistry([...made.tools]);
  const executor = new ToolExecutor({ registry, ...made.executor });
  const claude = claudeTools(executor, made.claude);
  const api = await MessagesApi.listen(...made.turns);
  onTestFinished(async () => {
    await claude.close({ graceMs: 0 });
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });
  const begin: ClaudeAgent["begin"] = (options = {}, prompt) =>
    query({
      prompt: prompt ?? "Continue.",
      options: {
        model: "claude-sonnet-4-5",
        cwd: home,
        settingSources: [],
        strictMcpConfig: true,
        persistSession: false,
        tools: [],
        env: {
          PATH: process.env["PATH"],
          HOME: home,
          CLAUDE_CONFIG_DIR: home,
          ANTHROPIC_BASE_URL: api.url,
          ANTHROPIC_API_KEY: "none",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          DISABLE_AUTOUPDATER: "1",
        },
        ...claude.options,
        ...options,
      },
    });
  return {
    executor,
    claude,
    api,
    begin,
    run: async (options) => {
      for await (const message of begin(options)) {
        if (message.type === "result") return message;
      }
      throw new Error("The agent gave no result.");
    },
  };
}
