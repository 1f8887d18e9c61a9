import type { Contender, Prepared } from "../contender.ts";
import { add, byName, description, jsonSchema, zodSchema } from "../tools.ts";

interface Invokable {
  invoke(args: unknown): Promise<unknown>;
}

function calls(getTool: (name: string) => Invokable): Prepared {
  return {
    takes: "object",
    call: (name, args) => getTool(name).invoke(args),
    readSum: (answer) => answer,
  };
}

const common = { package: "@langchain/core", validates: true } as const;
const does =
  "nothing configured: merges configs, validates, searches callbacks, sets the context storage; answers with the bare result";

export const langchain: readonly Contender[] = [
  {
    ...common,
    name: "langchain invoke, JSON",
    schema: "JSON Schema",
    does,
    prepare: async () => {
      const { tool } = await import("@langchain/core/tools");
      return calls(
        byName((name) => tool(add, { name, description, schema: jsonSchema }) as Invokable),
      );
    },
  },
  {
    ...common,
    name: "langchain invoke, Zod",
    schema: "Zod",
    does,
    prepare: async () => {
      const { tool } = await import("@langchain/core/tools");
      return calls(
        byName((name) => tool(add, { name, description, schema: zodSchema }) as Invokable),
      );
    },
  },
];
