// 10,000 tools: registry build and first list, in fresh processes; the median of seven.
import { execFileSync } from "node:child_process";
import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";

if (process.argv[2] === "child") {
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
  const start = performance.now();
  const registry = new ToolRegistry(tools);
  const built = performance.now();
  const executor = new ToolExecutor({ registry, validator });
  const specs = executor.toolset.specs();
  const listed = performance.now();
  console.log(
    JSON.stringify({ build: built - start, list: listed - built, tools: specs.length, compiled }),
  );
} else {
  const runs = Array.from({ length: 7 }, () => {
    const printed = execFileSync(
      process.execPath,
      [...process.execArgv, import.meta.filename, "child"],
      { encoding: "utf8" },
    );
    return JSON.parse(printed) as { build: number; list: number; tools: number; compiled: number };
  }).sort((a, b) => a.build + a.list - (b.build + b.list));
  const median = runs[3] as (typeof runs)[number];
  console.log(
    `${median.tools} tools: build ${median.build.toFixed(1)} ms + first list ${median.list.toFixed(1)} ms = ` +
      `${(median.build + median.list).toFixed(1)} ms; validators compiled: ${median.compiled}`,
  );
}
