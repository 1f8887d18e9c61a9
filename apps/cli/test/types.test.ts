import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { declareTools, type DeclaredTool } from "../src/commands/types/declaration.ts";
import { openPetShop, type PetShop } from "./support/pet-shop.ts";
import { project } from "./support/project.ts";
import { tempFolder } from "./support/temp-file.ts";

let shop: PetShop;
beforeAll(async () => void (shop = await openPetShop()));
afterAll(() => shop.close());

const compiler = join(import.meta.dirname, "../../../node_modules/typescript/bin/tsc");

/** Compiles code beside a declaration file. Returns the messages of the compiler. */
function compile(declaration: string, code: string): string {
  const folder = tempFolder();
  // In place of the package: the interface, and the method whose types it gives.
  const core = `declare module "@toolweave/core" {
  export interface ToolTypes {}
  export function call<Name extends keyof ToolTypes>(
    name: Name,
    args: ToolTypes[Name] extends { input: infer Input } ? Input : never,
  ): ToolTypes[Name] extends { output: infer Output } ? Output : never;
}`;
  const files = { "core.d.ts": core, "toolweave.d.ts": declaration, "code.ts": code };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const options = ["--strict", "--noEmit", "--module", "nodenext", "--types", ""];
  try {
    const names = Object.keys(files).map((name) => join(folder, name));
    execFileSync(process.execPath, [compiler, ...options, ...names], {
      cwd: folder,
      stdio: "pipe",
    });
    return "";
  } catch (error) {
    return String((error as { readonly stdout: Buffer }).stdout);
  }
}

const tool = (name: string, input: object, output?: object): DeclaredTool => ({
  name,
  description: `Runs ${name}.`,
  input: input as DeclaredTool["input"],
  output: output as DeclaredTool["output"],
});

/** Schemas that generators and their readers stumble over. */
const tools: readonly DeclaredTool[] = [
  tool(
    "tree.walk",
    {
      type: "object",
      title: "Evil */ title",
      properties: {
        node: { $ref: "#/$defs/node" },
        pair: {
          type: "array",
          prefixItems: [{ type: "string" }, { type: "number" }],
          items: false,
        },
        any: { description: "Ends */ here" },
        not: { not: { type: "string" } },
        code: { tsType: "import('./evil')", type: "string" },
        both: { $ref: "#/$defs/node", properties: { extra: { const: 5 } } },
        "k-l": { type: ["integer", "null"] },
        one: {
          oneOf: [
            { enum: ["a", "b"] },
            { type: "object", additionalProperties: { type: "boolean" } },
          ],
        },
      },
      required: ["node", "pair"],
      $defs: {
        node: {
          type: "object",
          properties: { next: { $ref: "#/$defs/node" }, value: { type: "string" } },
        },
      },
    },
    { $ref: "#/$defs/list", $defs: { list: { type: "array", items: { type: "string" } } } },
  ),
  tool("tree-walk", { type: "object" }),
  tool("broken", { type: "object", properties: { file: { $ref: "file:///etc/hostname" } } }),
];

test("types compile in strict mode, and accept and reject what the schemas do", async () => {
  const { text, untyped } = await declareTools(tools, "toolweave types");
  expect(untyped).toEqual(["broken"]);
  expect(text).not.toMatch(/evil'|Evil/);
  const code = `import { call } from "@toolweave/core";
const list: string[] = call("tree.walk", {
  node: { next: { value: "x" } },
  pair: ["a", 1],
  any: 7,
  not: 7,
  code: "c",
  both: { value: "v", extra: 5 },
  "k-l": null,
  one: { yes: true },
});
call("tree-walk", { anything: list });
call("broken", 7);
// @ts-expect-error: a required member is missing
call("tree.walk", { node: {} });
// @ts-expect-error: another type in the pair
call("tree.walk", { node: {}, pair: ["a", "b"] });
// @ts-expect-error: a name with a typing error
call("tree.walk", { node: { nxt: {} }, pair: ["a", 1] });
// @ts-expect-error: no such tool
call("tree_walk", {});
// @ts-expect-error: another value
call("tree.walk", { node: {}, pair: ["a", 1], one: "c" });
`;
  expect(compile(text, code)).toBe("");
  expect((await declareTools(tools.toReversed(), "toolweave types")).text).toBe(text);
});

test("types writes the file of a document once, and --check finds changes", async () => {
  const { run, read, folder, write } = project();
  await run(["init", "--openapi", shop.documentUrl]);
  expect((await run(["types", "--check"])).code).toBe(1);
  expect(existsSync(join(folder, "toolweave.d.ts"))).toBe(false);
  const written = await run(["types"]);
  expect(written).toMatchObject({ code: 0, stderr: "" });
  expect(written.stdout).toBe(`8 tools declared in ${join(folder, "toolweave.d.ts")}\n`);
  expect(read("toolweave.d.ts")).toMatch(/^\/\/ Written by `toolweave types`\. Run it again/);
  expect(read("toolweave.d.ts")).toMatch(
    / get_pet: \{ input: GetPet\.Input; output: unknown \};\n/,
  );
  expect(read("toolweave.d.ts")).toMatch(
    /namespace GetPet \{\n {2}export interface Input \{\n {4}id: number\n/,
  );
  expect((await run(["types", "--check"])).code).toBe(0);
  write("toolweave.d.ts", read("toolweave.d.ts").replaceAll("\n", "\r\n"));
  expect((await run(["types", "--check"])).code).toBe(0);
  write("toolweave.d.ts", read("toolweave.d.ts").replace("id: number", "id: string"));
  const stale = await run(["types", "--check", "--json"]);
  expect([stale.code, JSON.parse(stale.stdout)]).toMatchObject([1, { tools: 8, changed: true }]);
  expect(stale.stderr).toContain("is out of date");
});

test("types prints with --output -, and writes nothing if a source fails", async () => {
  const { run, folder } = project();
  const printed = await run(["types", "--openapi", shop.documentUrl, "--output", "-"]);
  expect([printed.code, printed.stdout]).toEqual([
    0,
    expect.stringContaining("interface ToolTypes"),
  ]);
  const failed = await run(["types", "--openapi", shop.documentUrl, "--mcp", "/missing/program"]);
  expect(failed.code).toBe(4);
  expect(existsSync(join(folder, "toolweave.d.ts"))).toBe(false);
  expect((await run(["types", "--output", "-", "--check"])).code).toBe(2);
});

test.each([
  ["lock", ["--lock-file"]],
  ["types", ["--output"]],
])("%s names the file that it cannot write, and the remedy", async (command, option) => {
  const { folder, run } = project();
  const file = join(folder, "missing", "file");
  const argv = [command, "--openapi", shop.documentUrl, ...option, file];
  const { code, stderr } = await run(argv);
  expect(code).toBe(2);
  expect(stderr).toContain(
    `toolweave: ${file} cannot be written (ENOENT); its folder does not exist: create it first.\n`,
  );
});
