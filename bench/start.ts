import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { median, printTable, spread } from "./lib/table.ts";

// The time that imports and commands take, in fresh processes that take turns (README.md):
//
// node bench/start.ts [--rounds 21] [--save]
//
// Measures the built packages.
const { values } = parseArgs({
  options: { rounds: { type: "string" }, save: { type: "boolean" } },
});
const rounds = Number(values.rounds ?? 21);
const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "toolweave-start-"));
const program = join(root, "apps/cli/dist/main.js");
if (!existsSync(program)) throw new Error("The packages are not built: run npx -y pnpm@12 build.");
writeFileSync(
  join(folder, "openapi.json"),
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Pets", version: "1" },
    servers: [{ url: "https://pets.example" }],
    paths: {
      "/pets": {
        get: { operationId: "listPets", responses: { 200: { description: "ok" } } },
        post: {
          operationId: "addPet",
          requestBody: { content: { "application/json": { schema: { type: "object" } } } },
          responses: { 201: { description: "ok" } },
        },
      },
    },
  }),
);

interface Sample {
  /** Of the process, from its start to its end, in ms. */
  readonly wall: number;
  /** User and system, when the work has ended, in ms. */
  readonly cpu: number;
}

const imported = (name: string): string =>
  `await import(${JSON.stringify(pathToFileURL(join(root, "packages", name, "dist/index.js")).href)});`;

const measured: Readonly<Record<string, () => Sample>> = {
  "node, nothing": () => runCode(""),
  "import of @toolweave/core": () => runCode(imported("core")),
  "import of @toolweave/openapi": () => runCode(imported("openapi")),
  "import of @toolweave/mcp": () => runCode(imported("mcp")),
  "toolweave --help": () => runProgram("--help"),
  "toolweave inspect, two operations": () => runProgram("inspect", "openapi.json"),
};

const samples = new Map<string, Sample[]>(Object.keys(measured).map((name) => [name, []]));
for (let round = -2; round < rounds; round++) {
  for (const [name, run] of Object.entries(measured)) {
    const sample = run();
    if (round >= 0) samples.get(name)?.push(sample);
  }
}
rmSync(folder, { recursive: true });
const bare = samples.get("node, nothing") ?? [];
printTable("start", {
  title: "Imports and commands",
  page: "bench/README.md",
  meaning: `The time of a fresh process, and the CPU that it takes more than a process that does nothing. The median of ${rounds} rounds, with the lowest and highest.`,
  versions: {},
  columns: ["process", "ms", "CPU ms more than nothing"],
  rows: [...samples].map(([name, own]) => {
    const more = own.map(({ cpu }, index) => cpu - (bare[index]?.cpu ?? Number.NaN));
    return [
      name,
      spread(
        own.map(({ wall }) => wall),
        0,
      ),
      own === bare ? "" : spread(more, 1),
    ];
  }),
});
if (!(median(bare.map(({ cpu }) => cpu)) > 0)) throw new Error("nothing was measured");

function runCode(code: string): Sample {
  const report = "const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)";
  return run("--input-type=module", "--eval", `${code} ${report}`);
}

function runProgram(...args: readonly string[]): Sample {
  const report = `process.on("exit", () => {
    const { user, system } = process.cpuUsage();
    process.getBuiltinModule("node:fs").writeSync(1, "\\n" + (user + system) / 1000);
  });`;
  return run("--import", `data:text/javascript,${encodeURIComponent(report)}`, program, ...args);
}

function run(...args: readonly string[]): Sample {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: folder },
  });
  const wall = performance.now() - start;
  if (status !== 0) throw new Error(stderr);
  return { wall, cpu: Number(stdout.trimEnd().split("\n").at(-1)) };
}
