import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compileTypes, compileWithCore } from "./support/compile-types.ts";
import { notesCommand } from "./support/notes.ts";
import { openPetShop, type PetShop } from "./support/pet-shop.ts";
import { project } from "./support/project.ts";

let shop: PetShop;
beforeAll(async () => void (shop = await openPetShop()));
afterAll(() => shop.close());

test("types writes the file of a document once, and --check finds changes", async () => {
  const { run, read, folder, write } = project();
  await run(["init", "--openapi", shop.documentUrl]);
  expect((await run(["types", "--check"])).code).toBe(1);
  expect(existsSync(join(folder, "toolweave.d.ts"))).toBe(false);
  const written = await run(["types"]);
  expect(written).toMatchObject({ code: 0, stderr: "" });
  expect(written.stdout).toBe(`8 tools declared in ${join(folder, "toolweave.d.ts")}\n`);
  expect(read("toolweave.d.ts")).toMatch(/^\/\/ Written by `toolweave types`\. Run it again/);
  expect(read("toolweave.d.ts")).toContain(`
    get_pet: {
      input: {
        id: number;
      };
      output: unknown;
    };
`);
  expect((await run(["types", "--check"])).code).toBe(0);
  write("toolweave.d.ts", read("toolweave.d.ts").replaceAll("\n", "\r\n"));
  expect((await run(["types", "--check"])).code).toBe(0);
  write("toolweave.d.ts", read("toolweave.d.ts").replace("id: number", "id: string"));
  const stale = await run(["types", "--check", "--json"]);
  expect([stale.code, JSON.parse(stale.stdout)]).toMatchObject([1, { tools: 8, changed: true }]);
  expect(stale.stderr).toContain("is out of date");
});

const root = join(import.meta.dirname, "../../..");

test.each([
  ["the pet shop", () => shop.documentUrl],
  ["a template", () => join(root, "packages/create-toolweave/templates/openapi/shop.openapi.json")],
  ["a fixture", () => join(root, "scripts/rehearsal/fixtures/openapi.json")],
])("the types of %s compile with the strictest options", async (_name, locate) => {
  const { run, read } = project();
  const servers = ["--mcp", notesCommand];
  const written = await run(["types", "--openapi", locate(), ...servers]);
  expect(written).toMatchObject({ code: 0, stderr: "" });
  expect(read("toolweave.d.ts").match(/^export declare namespace /gm)).toHaveLength(2);
  expect(compileTypes(read("toolweave.d.ts"))).toBe("");
});

test("with the file, executor.call is checked against the tools by name", async () => {
  const { run, read } = project();
  await run(["types", "--openapi", shop.documentUrl]);
  const code = `import { assertCompleted, ToolExecutor, ToolRegistry } from "@toolweave/core";
const executor = new ToolExecutor({ registry: new ToolRegistry([]) });
const outcome = await executor.call("get_pet", { id: 7 });
assertCompleted(outcome);
const value: unknown = outcome.result.value;
await executor.call("add_pet", { name: "Rex", age: 3, owner: { phone: null } });
// @ts-expect-error: another type
await executor.call("get_pet", { id: "7" });
// @ts-expect-error: a required argument is missing
await executor.call("add_pet", { age: 3 });
// @ts-expect-error: no such argument
await executor.call("add_pet", { name: "Rex", nmae: value });
await executor.call("a_tool_that_the_file_does_not_have", { any: value });
`;
  expect(compileWithCore(read("toolweave.d.ts"), code)).toBe("");
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
