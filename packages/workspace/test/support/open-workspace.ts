import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  ToolExecutor,
  ToolRegistry,
  type JsonObject,
  type ToolOutcome,
  type ToolSource,
} from "@toolweave/core";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { onTestFinished } from "vitest";
import { workspaceTools, type WorkspaceOptions } from "../../src/index.ts";

/** A workspace in a temporary folder, and a run that calls its tools. */
export interface OpenWorkspace {
  readonly root: string;
  /** Calls a tool. */
  call(name: string, args: JsonObject): Promise<ToolOutcome>;
  /** The text of a call's result. Throws when it has failed. */
  text(name: string, args: JsonObject): Promise<string>;
  /** The value of a call's result. Throws when it has failed. */
  value(name: string, args: JsonObject): Promise<JsonObject>;
  /** The code and the text of a call's error. Throws when it has not failed. */
  failure(name: string, args: JsonObject): Promise<string>;
  write(path: string, content: string | Uint8Array): void;
  read(path: string): Buffer;
}

/** Opens a workspace with these files. Every call is allowed. */
export function openWorkspace(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: Omit<WorkspaceOptions, "root"> = {},
  create: (options: WorkspaceOptions) => ToolSource = workspaceTools,
): OpenWorkspace {
  const root = join(tempFolder(), "ws");
  mkdirSync(root);
  const write = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  const registry = new ToolRegistry([create({ root, ...options })]);
  onTestFinished(() => registry.close());
  const run = new ToolExecutor({ registry, policy: "autonomous" }).startRun();
  let calls = 0;
  const call = (name: string, args: JsonObject): Promise<ToolOutcome> =>
    run.execute({ id: `${(calls += 1)}`, name, arguments: args });
  const complete = async (name: string, args: JsonObject): Promise<ToolOutcome> => {
    const outcome = await call(name, args);
    if (outcome.status !== "completed") throw new Error(JSON.stringify(outcome.error));
    return outcome;
  };
  return {
    root,
    call,
    write,
    read: (path) => readFileSync(join(root, path)),
    text: async (name, args) => readText(await complete(name, args)),
    value: async (name, args) => (await complete(name, args)).result?.value as JsonObject,
    failure: async (name, args) => {
      const { error } = await call(name, args);
      if (error === undefined) throw new Error("The call has not failed.");
      return `${error.code}: ${error.message}`;
    },
  };
}

/** The texts of a completed call. */
export function readText(outcome: ToolOutcome): string {
  return (outcome.result?.content ?? [])
    .map((block) => (block.type === "text" ? block.text : `<${block.type}>`))
    .join("");
}
