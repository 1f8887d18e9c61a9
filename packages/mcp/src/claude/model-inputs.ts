import type { JsonObject, JsonSchema } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import { toolInputs, type ToolInput } from "@toolweave/providers";

const toInput = toolInputs("claudeTools", "anthropic");

/**
 * The inputs of the listed tools by the rules of Anthropic's API. The SDK drops a tool whose property has a name that
 * the API refuses, and passes on other schemas for which the API refuses the request.
 */
export class ModelInputs {
  /** By the name of the tool, as it was last listed. */
  readonly #inputs = new Map<string, ToolInput>();

  /** The definition of a tool with its schema for the model. */
  list(definition: JsonObject): JsonObject {
    const input = toInput({ inputSchema: definition["inputSchema"] as JsonSchema });
    this.#inputs.set(String(definition["name"]), input);
    return { ...definition, inputSchema: input.schema };
  }

  /** The arguments of a call with the tool's own names. Arguments that have them stay as they are. */
  restore<Args>(name: unknown, args: Args): Args {
    return this.#inputs.get(String(name))?.restore(args) ?? args;
  }

  /** The parameters of `tools/call` with the tool's own names of the arguments. */
  restoreCall(params: JsonObject): JsonObject {
    const args = params["arguments"];
    const restored = this.restore(params["name"], args);
    return restored === args ? params : { ...params, arguments: restored as JsonObject };
  }

  /** The result of `tools/list` with schemas for the model; any other result as it is. */
  listAll(result: JsonObject): JsonObject {
    const { tools } = result;
    if (!Array.isArray(tools)) return result;
    return {
      ...result,
      tools: tools.map((one: unknown) =>
        isObject(one) ? this.list(one as JsonObject) : one,
      ) as JsonObject[],
    };
  }
}
