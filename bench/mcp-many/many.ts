import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { getHeapSpaceStatistics } from "node:v8";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { mcpSource, type McpSource } from "@toolweave/mcp";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "0.5" } } });
const minutes = Number(values.minutes);

/**
 * The maximum growth of heap and buffers together, in megabytes a minute: 5 bytes for each of the
 * calls.
 */
const maxGrowth = 0.2;

const script = fileURLToPath(new URL("server.ts", import.meta.url));
const well = Array.from({ length: 7 }, (_, index) => `well${index}`);
const bad = ["hanging", "crashing", "flooding"];

interface Latency {
  readonly calls: number;
  readonly failed: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

function start(name: string): McpSource {
  const args = [script, bad.includes(name) ? name : "well"];
  return mcpSource({ name, command: process.execPath, args });
}

async function opened(
  names: readonly string[],
): Promise<{ registry: ToolRegistry; usableMs: number }> {
  const begun = performance.now();
  const registry = new ToolRegistry(names.map(start));
  while (!well.every((name) => registry.get(`${name}__echo`) !== undefined)) await wait(1);
  return { registry, usableMs: performance.now() - begun };
}

/** Calls all seven repeatedly, each a hundred times a second. */
async function calling(registry: ToolRegistry, untilMs: number): Promise<Latency> {
  const executor = new ToolExecutor({ registry, policy: "autonomous" });
  const times: number[] = [];
  let failed = 0;
  const end = performance.now() + untilMs;
  const one = async (name: string): Promise<void> => {
    while (performance.now() < end) {
      const begun = performance.now();
      const outcome = await executor.execute({ id: name, name: `${name}__echo`, arguments: {} });
      times.push(performance.now() - begun);
      if (outcome.status !== "completed") failed += 1;
      await wait(10);
    }
  };
  await Promise.all(well.map(one));
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor((times.length - 1) * share)] ?? NaN;
  return { calls: times.length, failed, p50: at(0.5), p99: at(0.99), max: at(1) };
}

const formatLatency = ({ calls, failed, p50, p99, max }: Latency): string =>
  `${calls} calls, ${failed} failed, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, max ${max.toFixed(1)} ms`;

/** Megabytes. */
interface Memory {
  /** Of JavaScript, after a collection. */
  readonly heap: number;
  /** Outside it, and referenced by it: buffers above all. */
  readonly external: number;
  /** The part of it that is contents of buffers. */
  readonly buffers: number;
  /** Room that V8 reserves for new objects: it is doubled, up to a limit, and seldom released. */
  readonly young: number;
  /** The memory from the platform: all of that, and code, stacks, and reserves. */
  readonly resident: number;
}

/**
 * The referenced memory: a collection first, and a second one for objects that the first has
 * released.
 */
async function memoryNow(): Promise<Memory> {
  for (let pass = 0; pass < 2; pass += 1) {
    globalThis.gc?.();
    await wait(0);
  }
  const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage();
  const newSpace = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
  const mb = 2 ** 20;
  return {
    heap: heapUsed / mb,
    external: external / mb,
    buffers: arrayBuffers / mb,
    young: (newSpace?.physical_space_size ?? 0) / mb,
    resident: rss / mb,
  };
}

/** The growth of a value in a minute: the slope of the best line. */
function computeGrowth(values: readonly number[], everyMinutes: number): number {
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
  const middle = (values.length - 1) / 2;
  let along = 0;
  let across = 0;
  for (const [index, value] of values.entries()) {
    along += (index - middle) * (value - mean);
    across += (index - middle) ** 2;
  }
  return along / across / everyMinutes;
}

const alone = await opened(well);
await calling(alone.registry, 1_000);
const before = await calling(alone.registry, 5_000);
await alone.registry.close();
console.log(`seven alone: usable after ${alone.usableMs.toFixed(0)} ms; ${formatLatency(before)}`);

const all = await opened([...bad, ...well]);
let changes = 0;
all.registry.onChange(() => (changes += 1));
console.log(`with three bad ones: usable after ${all.usableMs.toFixed(0)} ms`);
const rounds = Math.max(6, Math.round(minutes * 4));
const memory: Memory[] = [];
for (let round = 1; round <= rounds; round += 1) {
  const latency = await calling(all.registry, (minutes * 60_000) / rounds);
  const now = await memoryNow();
  memory.push(now);
  const formatted = Object.entries(now).map(([part, mb]) => `${part} ${(mb as number).toFixed(1)}`);
  console.log(`${round}/${rounds}: ${formatLatency(latency)}; MB: ${formatted.join(", ")}`);
}
// While it begins, code is compiled and caches fill.
const settled = memory.slice(Math.ceil(rounds / 3));
const growth = (of: (one: Memory) => number): number =>
  computeGrowth(settled.map(of), minutes / rounds);
const held = growth(({ heap, external }) => heap + external);
const isFlat = held < maxGrowth;
const resident = growth((one) => one.resident);
const room = growth((one) => one.young);
console.log(
  `memory in the last two thirds: ${held.toFixed(2)} MB a minute more held (${isFlat ? "flat" : "NOT FLAT"}: the limit is ${maxGrowth}), ${resident.toFixed(2)} MB a minute more resident, of which V8's room for new objects ${room.toFixed(2)}; ${changes} changes of the registry`,
);
if (!isFlat) process.exitCode = 1;
console.log(all.registry.problems.map(({ source, message }) => `${source}: ${message}`).join("\n"));
await all.registry.close();
