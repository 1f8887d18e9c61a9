import type { Contender, Prepared } from "../contender.ts";
import { add, addUnknown, byName, description, jsonSchema, zodSchema } from "../tools.ts";

/**
 * The called function of a tool; its own type requires a context, which its documentation omits.
 */
interface Executable {
  execute(args: unknown): Promise<unknown>;
}

function executable(tool: object): Executable {
  return tool as Executable;
}

function calls(getTool: (name: string) => Executable): Prepared {
  return {
    takes: "object",
    call: (name, args) => getTool(name).execute(args),
    readSum: (answer) => answer,
  };
}

const common = { package: "@mastra/core", validates: true } as const;
const does =
  "nothing configured: copies the arguments, validates, makes a request context; answers with the bare result";

export const mastra: readonly Contender[] = [
  {
    ...common,
    name: "mastra execute, JSON",
    schema: "JSON Schema",
    does,
    prepare: async () => {
      const { createTool } = await import("@mastra/core/tools");
      return calls(
        byName((id) =>
          executable(createTool({ id, description, inputSchema: jsonSchema, execute: addUnknown })),
        ),
      );
    },
  },
  {
    ...common,
    name: "mastra execute, Zod",
    schema: "Zod",
    does,
    prepare: async () => {
      const { createTool } = await import("@mastra/core/tools");
      return calls(
        byName((id) =>
          executable(createTool({ id, description, inputSchema: zodSchema, execute: add })),
        ),
      );
    },
  },
];
