import { spawnSync } from "node:child_process";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { runCreate } from "../src/create.ts";
import { createProject, templates, type Template } from "../src/project.ts";

const packageRoot = join(import.meta.dirname, "..");
const temp = mkdtempSync(join(tmpdir(), "create-toolweave-"));
afterAll(() => rmSync(temp, { recursive: true, force: true }));

const names = Object.keys(templates) as Template[];

const readManifest = (folder: string): Record<string, Record<string, string>> =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/** Runs the command without a terminal, and returns its exit code and output. */
async function create(...args: string[]): Promise<{ code: number; output: string }> {
  let output = "";
  const code = await runCreate(args, {
    version: "1.2.3",
    input: Readable.from([]),
    output: new Writable({
      write(chunk, _encoding, done) {
        output += String(chunk);
        done();
      },
    }),
    userAgent: undefined,
  });
  return { code, output };
}

describe.each(names)("the template %s", (template) => {
  test("becomes a project with the folder's name, a .gitignore and this version of the packages", () => {
    const folder = join(temp, `My ${template}`);
    createProject(folder, template, "1.2.3");
    const { name, dependencies } = readManifest(folder);
    expect(name).toBe(`my-${template}`);
    const ours = Object.entries(dependencies!).filter(([key]) => key.startsWith("@toolweave/"));
    expect(ours.length).toBeGreaterThan(0);
    expect(new Set(ours.map(([, version]) => version))).toEqual(new Set(["^1.2.3"]));
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining([".gitignore", "README.md", "package.json", "src", "test"]),
    );
  });

  test("passes its own tests with the sources of the workspace", () => {
    const folder = join(temp, template);
    createProject(folder, template, "1.2.3");
    symlinkSync(join(packageRoot, "node_modules"), join(folder, "node_modules"), "junction");
    const { stdout, status } = spawnSync(
      process.execPath,
      ["--conditions=@toolweave/source", "--test", "--test-reporter=tap"],
      { cwd: folder, encoding: "utf8" },
    );
    expect([status, stdout]).toEqual([0, expect.stringMatching(/# pass [2-9]/)]);
  });

  test("has the dependencies that the workspace tests it with", () => {
    const { devDependencies: tested } = readManifest(packageRoot);
    const { devDependencies: pinned } = readManifest(join(packageRoot, "../.."));
    const { dependencies, devDependencies } = readManifest(
      join(packageRoot, "templates", template),
    );
    for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies })) {
      const version = (tested![name] ?? pinned![name])!.replace(/^\^/, "");
      expect([name, range]).toEqual([
        name,
        name.startsWith("@toolweave/") ? "^0.0.0" : `^${version}`,
      ]);
    }
  });
});

test("a folder with files is refused, and nothing is written", async () => {
  const folder = mkdtempSync(join(temp, "used-"));
  writeFileSync(join(folder, "mine.txt"), "mine");
  const { code, output } = await create(folder, "--yes");
  expect(code).toBe(1);
  expect(output).toContain("is not empty");
  expect(readdirSync(folder)).toEqual(["mine.txt"]);
});

test.each([[["--template", "rust"]], [["--fast"]], [["one", "two"]]])(
  "the arguments %j are refused with the usage",
  async (args) => {
    const { code, output } = await create(...args);
    expect(code).toBe(2);
    expect(output).toContain("Usage: npm create toolweave");
  },
);

test("--help names every template", async () => {
  const { code, output } = await create("--help");
  expect(code).toBe(0);
  for (const name of names) expect(output).toContain(name);
});
