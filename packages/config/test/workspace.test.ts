import { join } from "node:path";
import { describeConfig } from "@toolweave/config";
import { ToolExecutor } from "@toolweave/core";
import { expect, test } from "vitest";
import { configFile, folderWith } from "./support/config-file.ts";
import { loaded, refusal } from "./support/echo.ts";

function createFolder(workspace: object, more: object = {}): string {
  const folder = folderWith({
    "project/a.txt": "text",
    "toolweave.json": JSON.stringify({ workspace: { sandbox: "none", ...workspace }, ...more }),
  });
  return join(folder, "toolweave.json");
}

test("a workspace is tools for the files of a folder, with a policy for commands", async () => {
  const rules = [{ command: ["make", "..."], effect: "allow", match: ["make all"] }];
  const path = createFolder({ root: "project", commands: { rules } });
  const { registry, executorOptions, sources } = await loaded(path);
  expect(sources.map(({ kind, name }) => [kind, name])).toEqual([["workspace", "workspace"]]);
  const executor = new ToolExecutor({ registry, ...executorOptions });
  const decideEffect = async (command: string): Promise<string> =>
    (await executor.explain({ name: "bash", arguments: { command } })).effect;
  expect(await decideEffect("cat a.txt")).toBe("allow");
  expect(await decideEffect("make all")).toBe("allow");
  expect(await decideEffect("rm a.txt")).toBe("ask");
  const read = await executor.execute({ id: "1", name: "read_file", arguments: { path: "a.txt" } });
  expect(read.ok).toBe(true);
});

test("a further policy narrows that of a workspace", async () => {
  const rules = [{ effect: "deny", permissions: { kind: "process", target: "cat *" } }];
  const path = createFolder({ root: "project" }, { policy: { rules } });
  const { registry, executorOptions } = await loaded(path);
  const executor = new ToolExecutor({ registry, ...executorOptions });
  const decideEffect = async (command: string): Promise<string> =>
    (await executor.explain({ name: "bash", arguments: { command } })).effect;
  expect(await decideEffect("cat a.txt")).toBe("deny");
  expect(await decideEffect("ls")).toBe("allow");
});

test("what is wrong with a workspace is reported with its place", async () => {
  expect(await refusal(configFile('{\n  "workspace": { "root": "missing" }\n}'))).toContain("2:3");
  const rule = '{ "command": ["a"], "effect": "allow", "match": ["b"] }';
  const wrong = configFile(`{\n  "workspace": { "commands": { "rules": [${rule}] } }\n}`);
  expect(await refusal(wrong)).toContain('does not match its example "b"');
  expect(await refusal(configFile('{ "workspace": { "sandbx": "none" } }'))).toContain(
    'Did you mean "sandbox"?',
  );
});

test("what a workspace does is a part of what a person trusts", () => {
  const { parts } = describeConfig(createFolder({ root: "project" }));
  expect(parts.find(({ kind }) => kind === "workspace")?.text).toBe(
    'project: its files are read and written, and commands run there (sandbox: "none")',
  );
});
