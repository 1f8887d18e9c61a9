import { ToolExecutor, ToolRegistry, type Tool, type ToolSource } from "@toolweave/core";
import { fileURLToPath } from "node:url";
import { compileCache } from "@toolweave/test-support";
import { onTestFinished } from "vitest";
import { mcpSource, type McpServer, type McpSource, type McpStdioServer } from "../../src/index.ts";

/** A source that is closed when the test is done. */
export function opened(server: McpServer): McpSource {
  const source = mcpSource(server);
  onTestFinished(() => source.close());
  return source;
}

/** The server that violates the protocol. */
export function oddServer(odd: string, more: Partial<McpStdioServer> = {}): McpStdioServer {
  const args = [fileURLToPath(new URL("./nonconforming-server.ts", import.meta.url)), odd];
  return {
    name: "odd",
    command: process.execPath,
    args,
    env: compileCache,
    prefix: false,
    ...more,
  };
}

/** The tool of this name. */
export function findTool(source: ToolSource, name: string): Tool {
  const tool = source.tools().find(({ spec }) => spec.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return tool;
}

/** An executor that allows everything. */
export function executorOver(source: ToolSource): ToolExecutor {
  return new ToolExecutor({ registry: new ToolRegistry([source]), policy: "autonomous" });
}
