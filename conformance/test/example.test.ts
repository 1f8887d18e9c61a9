import { conformance } from "@toolweave/conformance/vitest";
import { defineTool } from "@toolweave/core";

const add = defineTool({
  name: "add",
  description: "Add two numbers.",
  input: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  annotations: { readOnlyHint: true },
  execute: ({ a, b }) => a + b,
});

conformance({
  name: "the add tool",
  create: () => [add],
  samples: { succeedingCalls: [{ tool: "add", arguments: { a: 1, b: 2 } }] },
  without: "an addition completes at once, cannot fail and changes nothing",
});
