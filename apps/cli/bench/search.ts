// How fast the tool index finds, and how much memory it takes:
//   node --expose-gc --conditions=@toolweave/source apps/cli/bench/search.ts
// Tools and questions are read from ../shared.
import { defineTool, ToolRegistry, type Tool, type Toolset } from "@toolweave/core";
import { prefixName } from "@toolweave/core/adapter";
import { ToolIndex } from "@toolweave/core/search";
import { metaTools, singleQuestions } from "../corpus/search/metatool.ts";
import { operationQuestions, operations } from "../corpus/search/operations.ts";
import type { Question } from "../corpus/search/questions.ts";
import { sampleQuestions } from "./sample-questions.ts";

const seed = 1;

function indexOf(toolset: Toolset): ToolIndex {
  const index = new ToolIndex();
  index.update(toolset);
  return index;
}

function row(cells: readonly (string | number)[], widths: readonly number[]): void {
  console.log(cells.map((cell, place) => String(cell).padEnd(widths[place] ?? 0)).join("  "));
}

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1e6;
}

/** Milliseconds of the processor, which other work on the machine hardly changes. */
function cpuSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

const api = await operations();
const meta = new ToolRegistry(metaTools()).toolset();
const single = singleQuestions();
const ofOperations = operationQuestions(api);

/** Reading a schema makes it, which costs more than indexing it: shown by itself. */
const beforeSchemas = heap();
const schemasStart = process.cpuUsage();
for (const { spec } of api) void spec.inputSchema;
const schemas = { ms: cpuSince(schemasStart), heap: heap() - beforeSchemas };

/** So many tools: the given ones, over and over under other names. */
function tiled(tools: readonly Tool[], count: number): readonly Tool[] {
  return Array.from({ length: count }, (_, place) => {
    const { spec } = tools[place % tools.length] as Tool;
    const round = Math.floor(place / tools.length);
    return defineTool({
      name: round === 0 ? spec.name : prefixName(`set${round}`, spec.name),
      ...(spec.title === undefined ? {} : { title: spec.title }),
      description: spec.description,
      input: spec.inputSchema,
      execute: () => undefined,
    });
  });
}

/** Milliseconds per search for ten: the processor's on average, and the median on the clock. */
function timed(index: ToolIndex, questions: readonly Question[]): string {
  for (const { text } of questions) index.search(text, 10);
  const before = process.cpuUsage();
  const times = questions
    .map(({ text }) => {
      const start = performance.now();
      index.search(text, 10);
      return performance.now() - start;
    })
    .sort((a, b) => a - b);
  const cpu = cpuSince(before) / times.length;
  return `${cpu.toFixed(3)} (${(times[times.length >> 1] ?? 0).toFixed(3)})`;
}

console.log();
const timeWidths = [8, 12, 9, 7, 33, 13];
row(
  [
    "tools",
    "build CPU ms",
    "no change",
    "heap MB",
    "search CPU ms (median), MetaTool",
    "of operations",
  ],
  timeWidths,
);
for (const count of [200, 2000, 10_000]) {
  const tools = tiled(Array.from(count === 200 ? meta : api), count);
  const toolset = new ToolRegistry(tools).toolset();
  const before = heap();
  const start = process.cpuUsage();
  const index = indexOf(toolset);
  const built = cpuSince(start);
  const size = heap() - before;
  // Another snapshot of the same tools: everything is compared, nothing is read.
  const other = new ToolRegistry(tools).toolset();
  const updating = process.cpuUsage();
  index.update(other);
  const updated = cpuSince(updating);
  const asked = [sampleQuestions(single, 1500, seed), ofOperations].map((some) =>
    timed(index, some),
  );
  row([count, built.toFixed(0), updated.toFixed(2), size.toFixed(1), ...asked], timeWidths);
}
console.log(
  `\nSchemas of the 2,350 operations, made for the names of their parameters: ${schemas.ms.toFixed(0)} ms CPU, ${schemas.heap.toFixed(0)} MB.`,
);
