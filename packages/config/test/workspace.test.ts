import { writeFileSync } from "node:fs";
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

/** Two tools, without an import: a module in a temporary folder finds no packages. */
const ownTool = (name: string, annotations: object): string =>
  `{ spec: { name: "${name}", description: "", inputSchema: { type: "object" }, annotations: ${JSON.stringify(annotations)}, provenance: { adapter: "code", source: "host" } }, invoke: () => "done" }`;
const modules = `export default [${ownTool("note", {})}, ${ownTool("wipe", { destructiveHint: true })}];`;

const rulesFor = (effect: string, ...tools: string[]): object => ({ rules: [{ effect, tools }] });

// The effects of a command that reads, one that changes a file, write_file, and the two tools of the module.
test.each<[string, unknown, string]>([
  ["no policy", undefined, "allow ask ask allow ask"],
  ["no rules", {}, "allow ask ask allow ask"],
  ["supervised", "supervised", "ask ask ask allow ask"],
  ["autonomous", "autonomous", "allow allow allow allow allow"],
  ["readOnly", "readOnly", "deny deny deny deny deny"],
  ["strict", { preset: "strict" }, "ask ask ask deny deny"],
  ["a default", { default: "deny" }, "deny deny deny deny deny"],
  ["allowed writes", rulesFor("allow", "write_file"), "allow ask allow allow ask"],
  ["an allowed tool", rulesFor("allow", "wipe"), "allow ask ask allow allow"],
  ["allowed commands", rulesFor("allow", "bash"), "allow allow ask allow ask"],
  ["a denied tool", rulesFor("deny", "note", "bash"), "deny deny ask deny ask"],
  ["a list", [rulesFor("allow", "w*"), rulesFor("ask", "wipe")], "allow ask allow allow ask"],
])("a workspace and %s decide together", async (_, policy, expected) => {
  const path = createFolder(
    { root: "project" },
    { tools: ["./tools.ts"], ...(policy === undefined ? {} : { policy }) },
  );
  writeFileSync(join(path, "../tools.ts"), modules);
  const { registry, executorOptions } = await loaded(path);
  const executor = new ToolExecutor({ registry, ...executorOptions });
  const effects = await Promise.all(
    [
      { name: "bash", arguments: { command: "cat a.txt" } },
      { name: "bash", arguments: { command: "touch b.txt" } },
      { name: "write_file", arguments: { path: "b.txt", content: "" } },
      { name: "note", arguments: {} },
      { name: "wipe", arguments: {} },
    ].map(async (call) => (await executor.explain(call)).effect),
  );
  expect(effects.join(" ")).toBe(expected);
});

test("the policy of a workspace is about its tools and those of scripts alone", async () => {
  const path = createFolder({ root: "project" }, { markdown: true, tools: ["./tools.ts"] });
  writeFileSync(join(path, "../tools.ts"), modules);
  const { registry, executorOptions } = await loaded(path);
  const executor = new ToolExecutor({ registry, ...executorOptions });
  expect(executor.policies.map(({ name, sources }) => ({ name, sources }))).toEqual([
    {
      name: "workspace",
      sources: ["workspace", "markdown", "skills", "scripts"],
    },
    { name: "policy", sources: undefined },
  ]);
  // The decision about other tools is known without a call.
  expect(executor.decideByTool("note")).toBe("allow");
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
