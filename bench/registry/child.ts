// Defines and lists 10,000 tools, and prints the milliseconds that it took.
import { typicalPolicy } from "../typical-setup.ts";

const [, , way] = process.argv;
const size = 10_000;

function definition(index: number) {
  return {
    // Not in the order of a list.
    name: `tool_${(index * 7919) % size}`,
    description: `Tool number ${index}.`,
    input: {
      type: "object" as const,
      properties: { id: { type: "integer" as const }, [`p${index}`]: { type: "string" as const } },
      required: ["id"],
    },
    execute: async (args: unknown) => args,
  };
}

async function toolweave(): Promise<() => number> {
  const { defineTool, ToolExecutor, ToolRegistry } = await import("@toolweave/core");
  const { toolSearch } = await import("@toolweave/core/search");
  return () => {
    const tools = Array.from({ length: size }, (_, index) => defineTool(definition(index)));
    const registry = new ToolRegistry(tools);
    const policy = way === "policy" ? { policy: typicalPolicy } : {};
    const executor = new ToolExecutor({ registry, ...policy });
    const { toolset } =
      way === "search"
        ? executor.startRun({ search: toolSearch({ form: "growing", always: ["tool_1*"] }) })
        : executor;
    return toolset.specs().filter(({ inputSchema }) => typeof inputSchema === "object").length;
  };
}

async function mastra(): Promise<() => number> {
  const { createTool } = await import("@mastra/core/tools");
  return () => {
    const tools = Array.from({ length: size }, (_, index) => {
      const { name, description, input, execute } = definition(index);
      return createTool({ id: name, description, inputSchema: input, execute });
    });
    const byName = new Map(tools.map((tool) => [tool.id, tool]));
    const listed = Array.from(byName.values(), ({ id, description, inputSchema }) => ({
      id,
      description,
      inputSchema,
    }));
    return listed.filter(({ inputSchema }) => typeof inputSchema === "object").length;
  };
}

const run = await (way === "mastra" ? mastra() : toolweave());
const start = performance.now();
const listed = run();
const ms = performance.now() - start;
if (listed < 1_000) throw new Error(`${listed} tools were listed`);
process.stdout.write(`${ms}`);
