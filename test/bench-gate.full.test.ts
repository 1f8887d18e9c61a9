import {
  appendFileSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { bundlePackage } from "../scripts/lib/bundle-package.ts";
import { countAll, findDifferences, readBaseline } from "../scripts/steps/bench-gate.ts";

const root = resolve(import.meta.dirname, "..");
const measured = ["core", "http", "openapi", "mcp"];
let built: string;
let workspace: string;

/** Copies the packages without their sources, so that they find each other in the copy. */
beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), "toolweave-gate-"));
  for (const name of measured) {
    const folder = join(root, "packages", name);
    const target = join(built, "packages", name);
    mkdirSync(target, { recursive: true });
    cpSync(join(folder, "package.json"), join(target, "package.json"));
    cpSync(join(folder, "node_modules"), join(target, "node_modules"), {
      recursive: true,
      verbatimSymlinks: true,
    });
    await bundlePackage(folder, join(target, "dist"));
  }
  symlinkSync(join(root, "node_modules"), join(built, "node_modules"), "junction");
  return () => rmSync(built, { recursive: true, force: true });
});
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "toolweave-gate-"));
  cpSync(built, workspace, { recursive: true, verbatimSymlinks: true });
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

/** Replaces a text that occurs once in the built modules of a package. */
function plant(name: string, text: string, replacement: string): void {
  const folder = join(workspace, "packages", name, "dist");
  const files = globSync("**/*.js", { cwd: folder })
    .map((file) => join(folder, file))
    .filter((file) => readFileSync(file, "utf8").includes(text));
  expect(files).toHaveLength(1);
  const [file = ""] = files;
  const parts = readFileSync(file, "utf8").split(text);
  expect(parts).toHaveLength(2);
  writeFileSync(file, parts.join(replacement));
}

const differences = async (): Promise<readonly string[]> =>
  findDifferences(readBaseline(root), await countAll(workspace));

test("the packages as they are do the recorded work", async () => {
  expect(await differences()).toEqual([]);
});

test("one more copy of the arguments of a call is a regression", async () => {
  const copied = "readArguments(call.name, call.arguments, execution)";
  plant("core", copied, `readArguments(call.name, ${copied}, execution)`);
  const found = await differences();
  expect(found).toContainEqual(expect.stringMatching(/^call: \d+ function calls, /));
  expect(found).toContainEqual(expect.stringMatching(/^call: \d+ bytes allocated, /));
});

test("work that is gone has to be recorded, so that its return is seen", async () => {
  const counted = await countAll(workspace);
  const recorded = { ...counted, call: { ...counted["call"], bytes: 10_000 } };
  expect(findDifferences(recorded, counted)).toEqual([
    expect.stringMatching(/^call: \d+ bytes allocated, [\d.]+ % less than the recorded 10000$/),
  ]);
});

test("a schema that is built twice is a regression", async () => {
  const translated = "const translated = translateSchema(location, mode, this.#context, dynamic);";
  const again = translated.replace("const translated = ", "");
  plant("openapi", translated, `${again}\n${translated}`);
  const found = await differences();
  const document = "OpenAPI document with every schema";
  expect(found).toContainEqual(expect.stringContaining(`${document}: `));
  expect(found.filter((line) => !line.startsWith(document))).toEqual([]);
});

test.each([
  ["of the same package", "./search/index.js", /^import of core: \d+ bytes of modules loaded, /],
  ["of a dependency", "ajv", /^import of core: \d+ bytes of modules loaded, /],
  ["of Node.js", "node:https", /^import of core: \d+ modules of Node\.js loaded, /],
])("one more import %s in core's entry is a regression", async (_kind, module, line) => {
  appendFileSync(
    join(workspace, "packages/core/dist/index.js"),
    `\nimport ${JSON.stringify(module)};\n`,
  );
  expect(await differences()).toContainEqual(expect.stringMatching(line));
});
