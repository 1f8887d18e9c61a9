import { createOpenApiTools, listOperations } from "@smithers-orchestrator/openapi";
import type { Contender } from "../../../packages/openapi/corpus/oracles/contender.ts";

/** The tools that it creates for the AI SDK. */
interface AiTool {
  readonly inputSchema: {
    readonly jsonSchema: object | PromiseLike<object>;
    validate?(value: unknown): PromiseLike<Checked> | Checked;
  };
  execute(args: unknown, options: object): Promise<unknown>;
}

type Checked =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: Error };

/** Validates arguments as the AI SDK does, then calls `execute` with the validated ones. */
export const smithers: Contender = {
  name: "@smithers-orchestrator/openapi",
  async open(path, origin) {
    const made = (await createOpenApiTools(path, { baseUrl: origin })) as Record<string, AiTool>;
    const operations = new Map(listOperations(path).map((one) => [one.operationId, one]));
    const tools = Object.entries(made).map(async ([name, { inputSchema, execute }]) => {
      const operation = operations.get(name);
      return {
        ...(operation === undefined ? {} : { operation }),
        inputSchema: (await inputSchema.jsonSchema) as Record<string, never>,
        call: async (args: object): Promise<unknown> => {
          const checked = await inputSchema.validate?.(args);
          if (checked?.success === false) throw new Error(`refused: ${checked.error.message}`);
          return execute(checked?.value ?? args, { toolCallId: "1", messages: [] });
        },
      };
    });
    return { tools: await Promise.all(tools), close: async () => {} };
  },
};
