// Prints the duration of the kit for one simple tool in this process, and its slowest rules.
//
// node --conditions=@toolweave/source conformance/bench/one-tool.ts
import { defineTool } from "@toolweave/core";
import { runConformance, type Manifest } from "../src/index.ts";

const add = defineTool({
  name: "add",
  description: "Add two numbers.",
  input: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  annotations: { readOnlyHint: true },
  execute: ({ a, b }) => Number(a) + Number(b),
});

const manifest: Manifest = {
  name: "the add tool",
  create: () => [add],
  samples: { succeedingCalls: [{ tool: "add", arguments: { a: 1, b: 2 } }] },
  generatedCalls: "all",
  without: "an addition is done at once, cannot fail and changes nothing",
};

for (const run of ["first", "second"]) {
  const { durationMs, rules, failed, notApplicable } = await runConformance(manifest, { seed: 1 });
  const checked = rules.length - notApplicable;
  process.stdout.write(
    `${run} run: ${durationMs} ms, ${checked} of ${rules.length} rules apply, ${failed} fail\n`,
  );
  const slowest = [...rules].sort((a, b) => b.durationMs - a.durationMs).slice(0, 8);
  for (const { id, durationMs } of slowest) process.stdout.write(`  ${id}  ${durationMs} ms\n`);
}
