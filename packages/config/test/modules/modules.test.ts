import { dirname, join } from "node:path";
import { writeFileSync } from "node:fs";
import { describeConfig, loadConfig, moduleSources } from "@toolweave/config";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { runProgram } from "@toolweave/test-support/run-program";
import { expect, onTestFinished, test } from "vitest";
import { folderWith } from "../support/config-file.ts";

/** The code of a tool, without an import: a module in a temporary folder finds no packages. */
const tool = (name: string, result: string): string =>
  `({ spec: { name: "${name}", title: "${name}", description: "Says it.", inputSchema: { type: "object" }, annotations: { readOnlyHint: true }, provenance: { adapter: "function", source: "tools" } }, invoke: () => ({ content: [{ type: "text", text: "${result}" }] }) })`;

async function listNames(path: string): Promise<string[]> {
  const registry = new ToolRegistry(await moduleSources(path));
  onTestFinished(() => registry.close());
  await registry.ready;
  return [...registry.toolset().names()];
}

function moduleFile(code: string, name = "tools.mjs"): string {
  return join(folderWith({ [name]: code }), name);
}

test.each([
  ["a tool by name", `export const a = ${tool("a", "A")};`, ["a"]],
  ["a list by name", `export const all = [${tool("a", "A")}, ${tool("b", "B")}];`, ["a", "b"]],
  ["the default export", `export default ${tool("a", "A")};`, ["a"]],
  ["a function as the default export", `export default async () => [${tool("a", "A")}];`, ["a"]],
  [
    "a tool that is also in a list",
    `export const a = ${tool("a", "A")}; export default [a];`,
    ["a"],
  ],
  [
    "other exports beside a tool",
    `export const a = ${tool("a", "A")}; export const limit = 3;`,
    ["a"],
  ],
])("a module exports its tools as %s", async (_what, code, names) => {
  expect(await listNames(moduleFile(code))).toEqual(names);
});

test("a source that a module exports keeps its own trust", async () => {
  const path = moduleFile(`
    export const a = ${tool("a", "A")};
    const b = ${tool("b", "B")};
    export const other = { id: "other", ready: Promise.resolve(), problems: [], trustAnnotations: false,
      tools: () => [b], onChange: () => () => {}, close: async () => {} };
  `);
  const registry = new ToolRegistry(await moduleSources(path));
  onTestFinished(() => registry.close());
  await registry.ready;
  const executor = new ToolExecutor({ registry });
  expect((await executor.explain({ name: "a" })).effect).toBe("allow");
  expect((await executor.explain({ name: "b" })).effect).toBe("ask");
});

test.each([
  ["is missing", "export default [];", "other.mjs", /cannot be read \(ENOENT\)/],
  [
    "exports no tool",
    "export const limit = 3;",
    "tools.mjs",
    /has no tools: it exports only limit\. Export tools of defineTool/,
  ],
  [
    "throws",
    "\nthrow new TypeError('no key');",
    "tools.mjs",
    /cannot be loaded.*TypeError: no key/,
  ],
])("if a module %s, its source fails and says why", async (_what, code, name, message) => {
  const path = join(dirname(moduleFile(code)), name);
  const [source, ...more] = await moduleSources(path);
  expect(more).toEqual([]);
  await expect(source?.ready).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(message) as string,
  });
});

test("the modules of a configuration are sources beside the others, by paths relative to it", async () => {
  const folder = folderWith({
    "lib/tools.mjs": `export const a = ${tool("a", "A")};`,
    "toolweave.json": JSON.stringify({ tools: ["./lib/tools.mjs", "gone.mjs"] }),
  });
  await using config = await loadConfig(join(folder, "toolweave.json"));
  await config.registry.ready;
  expect(config.sources.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    "module ./lib/tools.mjs",
    "module gone.mjs",
  ]);
  expect([...config.registry.toolset().names()]).toEqual(["a"]);
  expect(config.registry.problems.map(({ subject }) => subject)).toEqual(["gone.mjs"]);
});

test("the content of a module is part of what is trusted, and its code is not run for that", () => {
  const folder = folderWith({
    "tools.mjs": "throw new Error('it ran');",
    "toolweave.json": JSON.stringify({ tools: ["./tools.mjs"] }),
  });
  const path = join(folder, "toolweave.json");
  const before = describeConfig(path);
  expect(before.parts).toContainEqual(
    expect.objectContaining({ kind: "module", name: "tools.mjs" }),
  );
  writeFileSync(join(folder, "tools.mjs"), "export default [];");
  expect(describeConfig(path).digest).not.toBe(before.digest);
});

test("a process that only watches a module ends by itself", async () => {
  const path = moduleFile(`export const a = ${tool("a", "A")};`);
  const program = `
    import { moduleSources } from "@toolweave/config";
    const [source] = await moduleSources(${JSON.stringify(path)}, { watch: true });
    await source.ready;
  `;
  expect(await runProgram(program, import.meta.dirname)).toMatchObject({ code: 0, errors: "" });
});
