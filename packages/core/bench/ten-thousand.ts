// 10,000 tools: registry build and first list, in fresh processes; the median of seven. With the
// default policy, with a policy that hides some tools, and in a run that lists only the tools that
// it has found.
import { execFileSync } from "node:child_process";
import { defineTool, ToolExecutor, ToolRegistry, type PolicyDefinition } from "@toolweave/core";
import { toolSearch } from "@toolweave/core/search";

interface Measured {
  readonly build: number;
  readonly list: number;
  readonly tools: number;
  readonly compiled: number;
}

const ways = ["default", "rules", "search"] as const;
const hiding: PolicyDefinition = {
  preset: "supervised",
  rules: [{ effect: "deny", tools: "tool_99*" }],
};

function measured(way: string | undefined): Measured {
  const tools = Array.from({ length: 10_000 }, (_, index) =>
    defineTool({
      name: `tool_${(index * 7919) % 10_000}`,
      description: `Tool number ${index}.`,
      input: {
        type: "object",
        properties: { id: { type: "integer" }, [`p${index}`]: { type: "string" } },
        required: ["id"],
      },
      execute: ({ id }) => id,
    }),
  );
  let compiled = 0;
  const validator = {
    compile: () => {
      compiled += 1;
      return () => undefined;
    },
  };
  const search = toolSearch({ form: "growing", always: ["tool_1*"] });
  const start = performance.now();
  const registry = new ToolRegistry(tools);
  const built = performance.now();
  const policy = way === "rules" ? { policy: hiding } : {};
  const executor = new ToolExecutor({ registry, validator, ...policy });
  const { toolset } = way === "search" ? executor.startRun({ search }) : executor;
  const specs = toolset.specs();
  const listed = performance.now();
  return { build: built - start, list: listed - built, tools: specs.length, compiled };
}

function medianOf(way: string): Measured {
  const runs = Array.from({ length: 7 }, () => {
    const printed = execFileSync(
      process.execPath,
      [...process.execArgv, import.meta.filename, "child", way],
      { encoding: "utf8" },
    );
    return JSON.parse(printed) as Measured;
  }).sort((a, b) => a.build + a.list - (b.build + b.list));
  return runs[3] as Measured;
}

if (process.argv[2] === "child") console.log(JSON.stringify(measured(process.argv[3])));
else {
  for (const way of ways) {
    const { build, list, tools, compiled } = medianOf(way);
    console.log(
      `10000 tools, ${way}: build ${build.toFixed(1)} ms + first list of ${tools} ${list.toFixed(1)} ms = ` +
        `${(build + list).toFixed(1)} ms; validators compiled: ${compiled}`,
    );
  }
}
