import type { JsonObject, Tool, ToolOutput } from "@toolweave/core";
import { openApiSource, type OpenApiOptions, type OpenApiSource } from "../../src/index.ts";
import { toolContext } from "./tool-context.ts";

/** A source over a document with these paths, loaded. Nothing listens at its server. */
export async function openSource(
  paths: JsonObject,
  options: OpenApiOptions = {},
  more: JsonObject = {},
): Promise<OpenApiSource> {
  const info = { title: "Test", version: "1" };
  const servers = [{ url: "https://api.example.com" }];
  const document = { openapi: "3.1.0", info, servers, ...more, paths };
  const source = openApiSource.fromDocument(document, options);
  await source.ready;
  return source;
}

/** A source's tool by name. */
export function findTool(source: OpenApiSource, name: string): Tool {
  const tool = source.tools().find(({ spec }) => spec.name === name);
  if (tool === undefined) {
    throw new Error(
      `no ${name} among ${source
        .tools()
        .map(({ spec }) => spec.name)
        .join(", ")}`,
    );
  }
  return tool;
}

/** Runs a tool without an executor. */
export async function call(
  tool: Tool,
  args: JsonObject = {},
  signal?: AbortSignal,
): Promise<ToolOutput> {
  return (await tool.invoke(args, toolContext(signal))) as ToolOutput;
}

/** The error of a call. */
export async function rejection(
  tool: Tool,
  args: JsonObject = {},
  signal?: AbortSignal,
): Promise<unknown> {
  try {
    await call(tool, args, signal);
  } catch (error) {
    return error;
  }
  throw new Error("the call succeeded");
}
