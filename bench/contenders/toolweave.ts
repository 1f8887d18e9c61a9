import type { ToolCall, ToolOutcome, ToolRegistry, ToolRun } from "@toolweave/core";
import type { Contender, Prepared } from "../contender.ts";
import { add, description, jsonSchema, toolNames } from "../tools.ts";
import { typicalSetup, typicalSetupText } from "../typical-setup.ts";

async function registry(): Promise<ToolRegistry> {
  const { defineTool, ToolRegistry } = await import("@toolweave/core");
  return new ToolRegistry(
    toolNames.map((name) => defineTool({ name, description, input: jsonSchema, execute: add })),
  );
}

async function plainRun(): Promise<ToolRun> {
  const { ToolExecutor } = await import("@toolweave/core");
  return new ToolExecutor({ registry: await registry() }).startRun();
}

function calls(run: ToolRun, takes: Prepared["takes"]): Prepared {
  let made = 0;
  return {
    takes,
    call: (name, args) =>
      run.execute({ id: `${(made += 1)}`, name, arguments: args as ToolCall["arguments"] }),
    readSum: (answer) => {
      const outcome = answer as ToolOutcome;
      return outcome.status === "completed" ? outcome.result.value : undefined;
    },
  };
}

const common = { package: "@toolweave/core", schema: "JSON Schema", validates: true } as const;
const always =
  "finds the tool, copies and validates the arguments, policy, context, timeout of 60 s, makes the output JSON and bounds it; answers with an outcome of content, value, duration and time";

export const toolweave: readonly Contender[] = [
  {
    ...common,
    name: "toolweave run.execute",
    does: `nothing configured: ${always}`,
    prepare: async () => calls(await plainRun(), "object"),
  },
  {
    ...common,
    name: "toolweave run.execute, JSON text",
    does: "the same, and parses the arguments",
    prepare: async () => calls(await plainRun(), "text"),
  },
  {
    ...common,
    name: "toolweave, typical setup",
    does: `the same on parsed arguments, with ${typicalSetupText}`,
    prepare: async () => {
      const { run, verify } = await typicalSetup(await registry());
      return { ...calls(run, "object"), verify };
    },
  },
];
