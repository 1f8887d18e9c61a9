import { ToolExecutor, ToolRegistry, type JsonSchema, type Tool } from "@toolweave/core";
import { argumentsSchemaOf } from "@toolweave/core/adapter";
import { openApiSource } from "../../src/index.ts";
import type { Contender } from "./contender.ts";

/** Our tools; arguments are generated from the validated schema. */
export const toolweave: Contender = contender("toolweave", argumentsSchemaOf);

/**
 * Our tools; arguments are generated from the model's schema, which may be weaker: the rest is
 * refused with its reason.
 */
export const toolweaveModelSchema: Contender = contender(
  "toolweave, as a model sees it",
  ({ spec }) => spec.inputSchema,
);

/** Tools are called as a host calls them: by the executor, with its validation. */
function contender(name: string, getSchema: (tool: Tool) => JsonSchema): Contender {
  return {
    name,
    async open(path, origin) {
      const source = openApiSource.fromFile(path, { baseUrl: origin });
      const registry = new ToolRegistry([source]);
      await registry.ready;
      // Operations that cannot be called are not tools.
      source.realize();
      const executor = new ToolExecutor({ registry, policy: "autonomous" });
      const tools = source.tools().map((tool) => {
        const { method, path } = tool.spec.provenance.origin as { method: string; path: string };
        return {
          operation: { method, path },
          get inputSchema() {
            return getSchema(tool);
          },
          call: async (args: object): Promise<void> => {
            const outcome = await executor.execute({
              id: "1",
              name: tool.spec.name,
              arguments: JSON.stringify(args),
            });
            if (outcome.status === "failed") throw outcome.error;
          },
        };
      });
      return { tools, close: () => registry.close() };
    },
  };
}
