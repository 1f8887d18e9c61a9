import type { Tool } from "@toolweave/core";
import { ofSpec, ofTool, ofTools, spare, type Mutant } from "./mutant.ts";

export const determinismMutants: readonly Mutant[] = [
  ofSpec("TW-DET-001", "the time of creation in the metadata", () => ({
    metadata: { made: performance.now() },
  })),
  ofTools(
    "TW-DET-001",
    "an enum in the order in which answers came",
    inTurns(spare, (turn) => ({
      inputSchema: {
        type: "object",
        properties: { unit: { enum: turn % 2 === 0 ? ["cm", "in"] : ["in", "cm"] } },
      },
    })),
  ),
  ofSpec("TW-DET-002", "a description with a random example", () => ({
    get description() {
      return `Multiply two numbers, such as ${Math.random()} and 2.`;
    },
  })),
  ofTool("TW-DET-003", "add", "a description that counts the calls", (tool) => {
    let calls = 0;
    return {
      spec: Object.defineProperties({} as Tool["spec"], {
        ...Object.getOwnPropertyDescriptors(tool.spec),
        description: { enumerable: true, get: () => `Add two numbers. Called ${calls} times.` },
      }),
      invoke: (args, ctx) => {
        calls += 1;
        return tool.invoke(args, ctx);
      },
    };
  }),
  ofTools("TW-DET-004", "a fingerprint that is drawn each time", (tools) => [
    ...tools,
    {
      spec: spare.spec,
      invoke: spare.invoke.bind(spare),
      get fingerprint() {
        return String(Math.random());
      },
    },
  ]),
  ofTools(
    "TW-DET-005",
    "properties in the order of a hash map",
    inTurns(spare, (turn) => ({
      inputSchema: {
        type: "object",
        properties:
          turn % 2 === 0
            ? { a: { type: "number" }, b: { type: "number" } }
            : { b: { type: "number" }, a: { type: "number" } },
      },
    })),
  ),
];

/** Another spec for each creation. */
function inTurns(
  tool: Tool,
  change: (turn: number) => Partial<Tool["spec"]>,
): (tools: Tool[]) => readonly Tool[] {
  let turn = 0;
  return (tools) => {
    turn += 1;
    return [...tools, { spec: { ...tool.spec, ...change(turn) }, invoke: tool.invoke.bind(tool) }];
  };
}
