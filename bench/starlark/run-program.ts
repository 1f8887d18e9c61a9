import { readFileSync } from "node:fs";
import { compile, json, load } from "@toolweave/starlark";
import { getQuickJS } from "quickjs-emscripten";

// Runs one program in this process, several times, and prints the milliseconds of the fastest:
//
// node bench/starlark/run-program.ts toolweave|quickjs FILE
const [engine, file] = process.argv.slice(2) as [string, string];
const source = readFileSync(file, "utf8");
const rounds = 8;

/** The time of the thread that runs: of the processor, not of the clock. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

async function runOurs(): Promise<number> {
  const program = compile(source, { file, predeclared: ["json"] });
  const start = threadMs();
  await load(program, { predeclared: { json }, maxMemoryBytes: 2 ** 40 });
  return threadMs() - start;
}

async function runQuickJs(): Promise<number> {
  const context = (await getQuickJS()).newContext();
  const start = threadMs();
  context.unwrapResult(context.evalCode(source)).dispose();
  const elapsed = threadMs() - start;
  context.dispose();
  return elapsed;
}

let fastest = Infinity;
for (let round = 0; round < rounds; round++) {
  fastest = Math.min(fastest, await (engine === "quickjs" ? runQuickJs() : runOurs()));
}
console.log(fastest);
