import {
  text,
  ToolExecutor,
  ToolRegistry,
  type ExecutorOptions,
  type ToolOutcome,
} from "@toolweave/core";
import { onTestFinished } from "vitest";
import { mcpSource, type McpServer } from "../../src/index.ts";
import type { ServerRequestOptions } from "../../src/options/server-request-options.ts";
import { pressUrl } from "./requesting-server-http.ts";
import { pressServer } from "./requesting-server-process.ts";

/**
 * An executor over the press as a child process, which allows everything. Closed after the test.
 */
export function pressExecutor(
  era: "modern" | "legacy",
  options: ServerRequestOptions = {},
  more: Partial<ExecutorOptions> = {},
): Promise<ToolExecutor> {
  return createExecutor(pressServer(era, options), more);
}

/** The same over HTTP. */
export async function pressOverHttp(
  era: "modern" | "legacy",
  options: ServerRequestOptions = {},
  more: Partial<ExecutorOptions> = {},
): Promise<ToolExecutor> {
  return createExecutor(
    { name: "press", prefix: false, url: await pressUrl(era), ...options },
    more,
  );
}

/** An executor over any server, which allows everything. Closed after the test. */
export async function createExecutor(
  server: McpServer,
  more: Partial<ExecutorOptions> = {},
): Promise<ToolExecutor> {
  const source = mcpSource(server);
  onTestFinished(() => source.close());
  await source.ready;
  const registry = new ToolRegistry([source]);
  return new ToolExecutor({ registry, policy: "autonomous", ...more });
}

/** The press's output, which is JSON. */
export function saidIn(outcome: ToolOutcome): unknown {
  if (outcome.status === "interrupted") throw new Error("The call waits for a person.");
  const [block = text("null")] = outcome.result.content;
  if (block.type !== "text") throw new Error(`It is not text but ${block.type}.`);
  return outcome.status === "failed" ? block.text : JSON.parse(block.text);
}
