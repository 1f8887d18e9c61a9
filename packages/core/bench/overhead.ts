// The executor's own cost: CPU microseconds per call above the baseline, in one process, with the
// same clock.
import { Ajv2020 } from "ajv/dist/2020.js";
import { defineTool, ToolExecutor, ToolRegistry, type ToolOutcome } from "@toolweave/core";

const input = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
  additionalProperties: false,
} as const;
const names = Array.from({ length: 20 }, (_, index) => `add_${index}`);

const ajv = new Ajv2020();
const floor = new Map(
  names.map((name) => [
    name,
    { validate: ajv.compile(input), run: async ({ a, b }: { a: number; b: number }) => a + b },
  ]),
);
async function floorCall(name: string, args: { a: number; b: number }): Promise<number> {
  const tool = floor.get(name);
  if (tool === undefined || !tool.validate(args)) throw new Error("invalid");
  return tool.run(args);
}

const executor = new ToolExecutor({
  registry: new ToolRegistry(
    names.map((name) =>
      defineTool({
        name,
        description: "Add two numbers.",
        input,
        execute: async ({ a, b }) => a + b,
      }),
    ),
  ),
});
const run = executor.startRun();
let made = 0;
/** An id is used once in a run. */
const nextId = (): string => `${(made += 1)}`;
const executorCall = (name: string, args: { a: number; b: number }): Promise<ToolOutcome> =>
  executor.execute({ id: "call", name, arguments: args });
const runCall = (name: string, args: { a: number; b: number }): Promise<ToolOutcome> =>
  run.execute({ id: nextId(), name, arguments: args });
const runTextCall = (name: string, args: { a: number; b: number }): Promise<ToolOutcome> =>
  run.execute({ id: nextId(), name, arguments: JSON.stringify(args) });

type Call = (name: string, args: { a: number; b: number }) => Promise<unknown>;
const variants: Record<string, Call> = {
  floor: floorCall,
  "run.execute": runCall,
  "executor.execute": executorCall,
  "run.execute, JSON text": runTextCall,
};

const calls = 100_000;
async function sequential(call: Call): Promise<void> {
  for (let index = 0; index < calls; index++) {
    await call(names[index % 20] as string, { a: index, b: 1 });
  }
}
async function together(call: Call): Promise<void> {
  for (let done = 0; done < calls; done += 1000) {
    await Promise.all(
      Array.from({ length: 1000 }, (_, index) =>
        call(names[index % 20] as string, { a: index, b: 1 }),
      ),
    );
  }
}

async function cpuPerCall(work: (call: Call) => Promise<void>, call: Call): Promise<number> {
  const before = process.cpuUsage();
  await work(call);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

const median = (values: number[]): number =>
  values.sort((a, b) => a - b)[values.length >> 1] as number;
for (const [title, work] of [
  ["sequential", sequential],
  ["1,000 at once", together],
] as const) {
  const seen: Record<string, number[]> = {};
  // Variants alternate, so that other load on the machine affects all of them equally.
  for (let round = 0; round < 9; round++) {
    for (const [name, call] of Object.entries(variants)) {
      (seen[name] ??= []).push(await cpuPerCall(work, call));
    }
  }
  const base = median(seen["floor"]?.slice(2) ?? []);
  for (const [name, values] of Object.entries(seen)) {
    const figure = median(values.slice(2));
    console.log(
      `${title.padEnd(14)} ${name.padEnd(24)} ${figure.toFixed(3)} µs  ${(figure / base).toFixed(2)} × floor`,
    );
  }
}
