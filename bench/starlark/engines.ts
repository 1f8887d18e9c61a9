import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installedVersion, median, printTable } from "../lib/table.ts";

// How long programs take, beside starlark-go and QuickJS (README.md):
//
// node bench/starlark/engines.ts [--save]
const folder = import.meta.dirname;
const programs = join(folder, "programs");
const rounds = 5;

/** Starlark-go of Debian's package, as a program. */
function buildOracle(): string {
  const program = join(mkdtempSync(join(tmpdir(), "starlark-bench-")), "oracle");
  const environment = {
    GO111MODULE: "off",
    GOPATH: "/usr/share/gocode",
    GOCACHE: join(tmpdir(), "starlark-go-cache"),
  };
  execFileSync("go", ["build", "-o", program, join(folder, "oracle/main.go")], {
    env: { ...process.env, ...environment },
  });
  return program;
}

const oracle = buildOracle();
const run = (command: string, args: readonly string[]): number =>
  Number(execFileSync(command, args, { encoding: "utf8" }).trim().split(" ").at(-1));
const runner = join(folder, "run-program.ts");
const engines = {
  toolweave: (file: string) => run(process.execPath, [runner, "toolweave", file]),
  "starlark-go": (file: string) => run(oracle, [file]),
  quickjs: (file: string) =>
    run(process.execPath, [runner, "quickjs", file.replace(/star$/, "js")]),
};

const names = readdirSync(programs)
  .filter((name) => name.endsWith(".star"))
  .map((name) => name.slice(0, -5));
const hasTwin = new Set(
  readdirSync(programs)
    .filter((name) => name.endsWith(".js"))
    .map((name) => name.slice(0, -3)),
);
const times = new Map<string, number[]>();
for (let round = 0; round < rounds; round++) {
  for (const name of names) {
    for (const [engine, measure] of Object.entries(engines)) {
      if (engine === "quickjs" && !hasTwin.has(name)) continue;
      const key = `${engine} ${name}`;
      times.set(key, [...(times.get(key) ?? []), measure(join(programs, `${name}.star`))]);
    }
  }
}

const time = (engine: string, name: string): number => median(times.get(`${engine} ${name}`) ?? []);
const ratio = (engine: string, name: string): number =>
  time("toolweave", name) / time(engine, name);
const twins = names.filter((name) => hasTwin.has(name));
const mean = Math.exp(
  twins.reduce((sum, name) => sum + Math.log(ratio("quickjs", name)), 0) / twins.length,
);
printTable("starlark", {
  title: "Starlark programs",
  page: "bench/starlark/README.md",
  meaning: `Processor time of one thread, the median of ${rounds} processes that take turns, each with its fastest of 8 runs. The ratios are the time of this interpreter divided by the other's: lower is better. QuickJS runs the same work written in JavaScript by hand; the geometric mean of its ratios is ${mean.toFixed(2)}.`,
  versions: {
    "quickjs-emscripten": installedVersion("starlark", "quickjs-emscripten"),
    "starlark-go": "Debian 0.0~git20210122",
  },
  columns: ["program", "toolweave ms", "starlark-go ms", "÷ starlark-go", "÷ QuickJS"],
  rows: names.map((name) => [
    name,
    time("toolweave", name).toFixed(1),
    time("starlark-go", name).toFixed(1),
    ratio("starlark-go", name).toFixed(2),
    hasTwin.has(name) ? ratio("quickjs", name).toFixed(2) : "",
  ]),
});
