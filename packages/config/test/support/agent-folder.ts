import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { LoadConfigOptions, LoadedConfig } from "@toolweave/config";
import {
  defineTool,
  ToolExecutor,
  type ExecutorOptions,
  type JsonObject,
  type Tool,
  type ToolOutcome,
} from "@toolweave/core";
import { folderWith } from "./config-file.ts";
import { loaded } from "./echo.ts";

const compatible = "@ai-sdk/openai-compatible";

/** Installs `@ai-sdk/openai-compatible` in a folder, under its own name or another. */
export function install(folder: string, as: string = compatible): void {
  const installed = dirname(createRequire(import.meta.url).resolve(`${compatible}/package.json`));
  mkdirSync(join(folder, "node_modules/@ai-sdk"), { recursive: true });
  symlinkSync(realpathSync(installed), join(folder, "node_modules", as), "dir");
}

/** The path of a `toolweave.json` with agents; the package is installed beside it. */
export function agentsFile(
  agents: object,
  more: object = {},
  files: Readonly<Record<string, string>> = {},
): string {
  const written = JSON.stringify({ ...more, agents });
  const folder = folderWith({ ...files, "toolweave.json": written });
  install(folder);
  return join(folder, "toolweave.json");
}

/** Tools of the host that answer with their arguments. */
export const book: { readonly calls: JsonObject[]; readonly tools: () => readonly Tool[] } = {
  calls: [],
  tools: () => {
    book.calls.length = 0;
    const input = {
      type: "object",
      properties: { title: { type: "string" } },
      required: ["title"],
    } as const;
    const execute = (name: string) => (args: JsonObject) => {
      book.calls.push({ name, ...args });
      return `${name}: ${String(args["title"])}`;
    };
    return [
      defineTool({
        name: "books__find",
        description: "Find a book.",
        input,
        annotations: { readOnlyHint: true },
        execute: execute("find"),
      }),
      defineTool({
        name: "books__sell",
        description: "Sell a book.",
        input,
        needsApproval: true,
        execute: execute("sell"),
      }),
    ];
  },
};

/** A configuration with the tools, and an executor of it. */
export async function bookshop(
  input: string | object,
  options: LoadConfigOptions = {},
  more: Partial<ExecutorOptions> = {},
): Promise<{ readonly config: LoadedConfig; readonly executor: ToolExecutor }> {
  const config = await loaded(input, options);
  config.registry.add(book.tools());
  const executor = new ToolExecutor({
    registry: config.registry,
    ...config.executorOptions,
    ...more,
  });
  return { config, executor };
}

/** Gives an agent a task. */
export function asked(executor: ToolExecutor, name: string, task: string): Promise<ToolOutcome> {
  return executor.execute({ id: "1", name, arguments: { task } });
}

/** The answer of an agent. */
export function saidBy(outcome: ToolOutcome): string {
  if (outcome.status === "interrupted") throw new Error("It waits.");
  return outcome.result.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}
