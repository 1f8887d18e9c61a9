// The cost of events: CPU microseconds per call above the baseline, in one process, with the same
// clock. "off" is the executor without listeners; each other row is the same executor with a
// listener.
import { Ajv2020 } from "ajv/dist/2020.js";
import { defineTool, ToolExecutor, ToolRegistry, type ExecutorOptions } from "@toolweave/core";
import { publishDiagnostics } from "@toolweave/core/diagnostics";
import { openTelemetry } from "@toolweave/core/telemetry";

const input = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
  additionalProperties: false,
} as const;

type Call = (args: { a: number; b: number }) => Promise<unknown>;

const validate = new Ajv2020().compile(input);
const tools = new Map([["add", async ({ a, b }: { a: number; b: number }) => a + b]]);
const floor: Call = async (args) => {
  const add = tools.get("add");
  if (add === undefined || !validate(args)) throw new Error("invalid");
  return add(args);
};

function variant(
  options: Omit<ExecutorOptions, "registry"> = {},
  use: (executor: ToolExecutor) => void = () => {},
): Call {
  const add = defineTool({
    name: "add",
    description: "Add two numbers.",
    input,
    execute: async ({ a, b }) => a + b,
  });
  const executor = new ToolExecutor({ registry: new ToolRegistry([add]), ...options });
  use(executor);
  const run = executor.startRun();
  let made = 0;
  return (args) => run.execute({ id: `${(made += 1)}`, name: "add", arguments: args });
}

const variants: Record<string, Call> = {
  floor,
  off: variant(),
  "off, again": variant(),
  "off: the listener is removed": variant({}, (executor) => executor.on(() => {})()),
  "off: diagnostics, no subscriber": variant({}, publishDiagnostics),
  "one listener": variant({}, (executor) => executor.on(() => {})),
  "one reader, which never reads": variant({}, (executor) => executor.events()),
  "a backlog of 1,000": variant({ eventBacklog: 1000 }),
  "one listener, payloads": variant({ eventPayloads: true }, (executor) => executor.on(() => {})),
  "telemetry, no SDK": variant({ hooks: [openTelemetry()] }),
};

const calls = 100_000;

async function cpuPerCall(call: Call): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < calls; index++) await call({ a: index, b: 1 });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

const seen: Record<string, number[]> = {};
// Variants alternate, so that other load on the machine affects all of them equally.
for (let round = 0; round < 11; round++) {
  for (const [name, call] of Object.entries(variants)) {
    const figure = await cpuPerCall(call);
    if (round >= 2) (seen[name] ??= []).push(figure);
  }
}

const median = (values: readonly number[] = []): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const off = median(seen["off"]);
for (const [name, values] of Object.entries(seen)) {
  const figure = median(values);
  const least = Math.min(...values);
  console.log(
    `${name.padEnd(36)} ${figure.toFixed(3)} µs  (min ${least.toFixed(3)})  ${(figure - off).toFixed(3).padStart(7)} µs above off`,
  );
}
