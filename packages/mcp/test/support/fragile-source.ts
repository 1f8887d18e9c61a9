import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ToolOutcome, ToolSource } from "@toolweave/core";
import { compileCache } from "@toolweave/test-support";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import type { McpStdioServer } from "../../src/index.ts";
import { executorOver } from "./open-source.ts";

const script = fileURLToPath(new URL("./fragile-server.ts", import.meta.url));

/** A faulty server, and its processes so far. */
export interface Fragile {
  readonly server: McpStdioServer;
  /** All process ids, the earliest first. */
  pids(): readonly number[];
}

/** @param ways see `fragile-server.ts`. */
export function fragile(ways: string, more: Partial<McpStdioServer> = {}): Fragile {
  const folder = tempFolder();
  const file = join(folder, "pids");
  const args = [script, ways, file];
  return {
    server: {
      name: "fragile",
      command: process.execPath,
      args,
      env: compileCache,
      prefix: false,
      ...more,
    },
    pids: () => pidsIn(file),
  };
}

/** The process ids that a faulty server has written. */
export function pidsIn(file: string): readonly number[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** A process that has exited and was not waited for (a zombie) does not count. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
  if (process.platform !== "linux") return true;
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Calls a tool without arguments. */
export function calling(
  source: ToolSource,
  name: string,
  options: Parameters<ReturnType<typeof executorOver>["execute"]>[1] = {},
): Promise<ToolOutcome> {
  return executorOver(source).execute({ id: "1", name, arguments: {} }, options);
}

/** The text of a tool's answer. */
export async function said(source: ToolSource, name: string): Promise<string> {
  const outcome = await calling(source, name);
  if (outcome.status === "interrupted") throw new Error("interrupted");
  const [block] = outcome.result.content;
  return block?.type === "text" ? block.text : "";
}
