import type { FunctionTool } from "@openai/agents";
import type { Contender, Prepared } from "../contender.ts";
import { add, addUnknown, byName, description, jsonSchema, zodSchema } from "../tools.ts";

async function calls(make: (name: string) => object): Promise<Prepared> {
  const { invokeFunctionTool, RunContext } = await import("@openai/agents");
  const getTool = byName((name) => make(name) as FunctionTool);
  const runContext = new RunContext();
  return {
    takes: "text",
    call: (name, input) =>
      invokeFunctionTool({ tool: getTool(name), runContext, input: input as string }),
    readSum: (answer) => answer,
  };
}

const common = { package: "@openai/agents" } as const;
const always = "makes log lines, guards against errors of the tool; answers with the bare result";

export const openai: readonly Contender[] = [
  {
    ...common,
    name: "openai invokeFunctionTool, JSON",
    schema: "JSON Schema",
    validates: false,
    does: `nothing configured: parses, normalises for strict mode, ${always}`,
    prepare: async () => {
      const { tool } = await import("@openai/agents");
      return calls((name) =>
        tool({ name, description, parameters: jsonSchema, execute: addUnknown }),
      );
    },
  },
  {
    ...common,
    name: "openai invokeFunctionTool, Zod",
    schema: "Zod",
    validates: true,
    does: `nothing configured: parses, normalises for strict mode, validates, ${always}`,
    prepare: async () => {
      const { tool } = await import("@openai/agents");
      return calls((name) => tool({ name, description, parameters: zodSchema, execute: add }));
    },
  },
];
