import type { JsonObject, RunOptions, ToolExecutor, ToolResult } from "@toolweave/core";
import { expect } from "vitest";
import { mcpSource, type McpSource } from "../../src/index.ts";
import {
  everything,
  type EverythingOptions,
  type EverythingTransport,
} from "./everything-server.ts";
import { executorOver } from "./open-source.ts";

/** The tools that the everything server has for every host. */
export const toolsForEverybody: readonly string[] = [
  "echo",
  "get-annotated-message",
  "get-env",
  "get-resource-links",
  "get-resource-reference",
  "get-structured-content",
  "get-sum",
  "get-tiny-image",
  "gzip-file-as-resource",
  "simulate-research-query",
  "toggle-simulated-logging",
  "toggle-subscriber-updates",
  "trigger-long-running-operation",
];

/** Those for a host that can ask a person. */
export const toolsThatAsk: readonly string[] = [
  "trigger-elicitation-request",
  "trigger-url-elicitation",
];

/** A host with the everything server. */
export interface EverythingHost {
  readonly source: McpSource;
  readonly executor: ToolExecutor;
  /** The answer of a tool; fails if the call did not reach it. */
  call(name: string, args?: JsonObject, options?: RunOptions): Promise<ToolResult>;
  close(): Promise<void>;
}

/** Starts the server, and connects to it. */
export async function everythingHost(
  transport: EverythingTransport,
  options: EverythingOptions,
): Promise<EverythingHost> {
  const { server, stop } = await everything(transport, options);
  const source = mcpSource(server);
  const executor = executorOver(source);
  await source.ready;
  return {
    source,
    executor,
    call: (name, args, run) => runCall(executor, name, args, run),
    close: async () => {
      await source.close();
      await stop();
    },
  };
}

/** The answer of a tool; fails if the call did not reach it. */
export async function runCall(
  executor: ToolExecutor,
  name: string,
  args: JsonObject = {},
  options: RunOptions = {},
): Promise<ToolResult> {
  const outcome = await executor.execute({ id: "1", name, arguments: args }, options);
  expect(outcome).toMatchObject({ status: "completed" });
  return (outcome as Extract<typeof outcome, { readonly status: "completed" }>).result;
}

/** The text of a result, one line for each block. */
export function readText({ content }: ToolResult): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

/** The names of a source's tools. */
export function names(source: McpSource): readonly string[] {
  return source.tools().map(({ spec }) => spec.name);
}
