import {
  ToolExecutor,
  ToolRegistry,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type Tool,
} from "@toolweave/core";
import { argumentsSchemaOf } from "@toolweave/core/adapter";
import { openApiSource } from "../../src/index.ts";
import { layoutArguments } from "../../src/arguments/argument-layout.ts";
import type { Operation } from "../../src/document/operation.ts";
import { openDocument } from "../../src/operations/document.ts";
import type { Contender } from "./contender.ts";
import type { RequestValues } from "./oracle.ts";

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
      const { operations } = await openDocument(path);
      const layouts = new Map(
        operations.map(
          (operation) => [`${operation.method} ${operation.path}`, operation] as const,
        ),
      );
      const executor = new ToolExecutor({ registry, policy: "autonomous" });
      const tools = source.tools().map((tool) => {
        const { method, path } = tool.spec.provenance.origin as { method: string; path: string };
        return {
          operation: { method, path },
          get inputSchema() {
            return getSchema(tool);
          },
          toValues: (args: JsonObject) =>
            toValues(args, layouts.get(`${method} ${path}`) as Operation),
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

const noNames = { headers: new Set<string>(), cookies: [] };

/** Only the names come from our layout: a builder serializes the values itself. */
function toValues(args: JsonObject, operation: Operation): RequestValues {
  const { parameters, body } = layoutArguments(
    operation.details(),
    operation.path,
    operation.pointer,
    noNames,
  );
  const sent = parameters
    .filter(({ argument }) => Object.hasOwn(args, argument))
    .map(({ argument, parameter: { in: place, name } }) => {
      return { in: place, name, value: args[argument] as JsonValue };
    });
  if (body === undefined || body.choice !== undefined) return { parameters: sent };
  if (body.properties === undefined) {
    const value = args[body.argument];
    return { parameters: sent, ...(value === undefined ? {} : { body: value }) };
  }
  const members = body.properties
    .filter(({ argument }) => Object.hasOwn(args, argument))
    .map(({ argument, property }) => [property, args[argument] as JsonValue] as const);
  return { parameters: sent, body: Object.fromEntries(members) };
}
