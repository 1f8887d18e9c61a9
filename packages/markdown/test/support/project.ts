import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  ToolExecutor,
  ToolRegistry,
  type ExecutorOptions,
  type RegistryInput,
} from "@toolweave/core";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { onTestFinished } from "vitest";
import {
  markdownSource,
  type MarkdownSource,
  type MarkdownSourceOptions,
} from "../../src/index.ts";

/** A folder with files, which is removed when the test ends. */
function makeFolder(files: Readonly<Record<string, string>>): string {
  const folder = tempFolder();
  for (const [name, text] of Object.entries(files)) writeIn(folder, name, text);
  return folder;
}

/** Writes a file of a folder. */
export function writeIn(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The text of a tool's file. */
export function toolFile(script: string, head = "", body = "Does it."): string {
  const lines = script
    .trim()
    .split("\n")
    .map((line) => `  ${line}`.trimEnd());
  return `---\n${head === "" ? "" : `${head.trim()}\n`}script: |\n${lines.join("\n")}\n---\n${body}\n`;
}

/** A source of a folder with these files, and an executor with its tools and hooks. */
export async function openProject(
  files: Readonly<Record<string, string>>,
  options: {
    readonly source?: MarkdownSourceOptions;
    readonly executor?: Omit<ExecutorOptions, "registry">;
    readonly others?: readonly RegistryInput[];
  } = {},
): Promise<{
  readonly folder: string;
  readonly source: MarkdownSource;
  readonly executor: ToolExecutor;
}> {
  const folder = makeFolder(files);
  const source = markdownSource(folder, options.source);
  const registry = new ToolRegistry([source, ...(options.others ?? [])]);
  onTestFinished(() => registry.close());
  await registry.ready;
  const executor = new ToolExecutor({ registry, hooks: [source.hook], ...options.executor });
  return { folder, source, executor };
}
