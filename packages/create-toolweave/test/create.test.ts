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
import { PassThrough, Writable } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { runCreate } from "../src/create.ts";
import { createProject, templates, type Template } from "../src/project.ts";

const packageRoot = join(import.meta.dirname, "..");
const temp = mkdtempSync(join(tmpdir(), "create-toolweave-"));
afterAll(() => rmSync(temp, { recursive: true, force: true }));

const names = Object.keys(templates) as Template[];

const readManifest = (folder: string): Record<string, Record<string, string>> =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/** The end of a run of the command: what it printed, and the commands that it ran. */
interface Run {
  readonly code: number;
  readonly output: string;
  readonly commands: readonly string[];
}

/** Runs the command; on a terminal if there are answers to its questions. */
async function create(
  args: readonly string[],
  host: { answers?: readonly string[]; userAgent?: string; installs?: boolean } = {},
): Promise<Run> {
  const { answers, userAgent, installs = true } = host;
  let output = "";
  const commands: string[] = [];
  const left = [...(answers ?? [])];
  const input = Object.assign(new PassThrough(), { isTTY: answers !== undefined });
  const code = await runCreate(args, {
    version: "1.2.3",
    input,
    output: new Writable({
      write(chunk, _encoding, done) {
        output += String(chunk);
        // A question ends with its default in parentheses.
        if (String(chunk).endsWith("): ")) input.write(`${left.shift()}\n`);
        done();
      },
    }),
    userAgent,
    runCommand: async (command, cwd) => {
      commands.push(`${command} in ${cwd}`);
      return installs;
    },
  });
  return { code, output, commands };
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

test("on a terminal it asks for the folder and the template", async () => {
  const folder = join(temp, "asked");
  const { code, output, commands } = await create([], { answers: [folder, "openapi"] });
  expect([code, commands]).toEqual([0, [`npm install in ${folder}`]]);
  expect(output).toContain("Folder (toolweave-app): ");
  expect(output).toContain("Template (function): ");
  expect(readdirSync(folder)).toContain("shop.openapi.json");
});

test.each([
  ["pnpm/12.21.0 npm/? node/v24.21.0", "pnpm"],
  ["yarn/4.9.0 npm/? node/v24.21.0", "yarn"],
  ["other/1.0.0", "npm"],
])("the package manager %s installs with %s, and the next steps name it", async (agent, name) => {
  const folder = join(temp, `with-${name}`);
  const { output, commands } = await create([folder, "--yes"], { userAgent: agent });
  expect(commands).toEqual([`${name} install in ${folder}`]);
  expect(output).toMatch(new RegExp(`Next:\\n  cd .*with-${name}\\n  ${name} test`));
});

test("if the installation fails, the command fails and says how to repeat it", async () => {
  const folder = join(temp, "offline");
  const { code, output } = await create([folder, "--yes"], { installs: false });
  expect(code).toBe(1);
  expect(output).toContain(`"npm install" failed: run it again in ${folder}`);
});

test("a folder with files is refused, and nothing is written", async () => {
  const folder = mkdtempSync(join(temp, "used-"));
  writeFileSync(join(folder, "mine.txt"), "mine");
  const { code, output } = await create([folder, "--yes"]);
  expect(code).toBe(1);
  expect(output).toContain("is not empty");
  expect(readdirSync(folder)).toEqual(["mine.txt"]);
});

test.each([[["--template", "rust"]], [["--fast"]], [["one", "two"]]])(
  "the arguments %j are refused with the usage",
  async (args) => {
    const { code, output } = await create(args);
    expect(code).toBe(2);
    expect(output).toContain("Usage: npm create toolweave");
  },
);

test("--help names every template", async () => {
  const { code, output } = await create(["--help"]);
  expect(code).toBe(0);
  for (const name of names) expect(output).toContain(name);
});
