import type { JsonObject, JsonSchema } from "@toolweave/core";
import { isObject, parseLossless } from "@toolweave/core/adapter";
import { integrationError, perObject } from "@toolweave/core/integration";
import { portableRules, providerRules } from "../rules/all-rules.ts";
import type { ProviderName, ProviderRules } from "../rules/provider-rules.ts";
import type { Projection } from "../schema/projection.ts";
import { isReversible, restoredArguments } from "../schema/restored-arguments.ts";
import { isNone, projectOnce, type DescribedInput } from "./exported-tools.ts";

/** A provider whose rules the schemas of a framework's tools can follow. */
export type ToolProvider = Exclude<ProviderName, "openai-strict">;

const toolProviders: readonly ToolProvider[] = ["openai", "anthropic", "gemini", "bedrock"];

/** The input of a tool as a framework passes it on to a model. */
export interface ToolInput {
  /** The schema for the model. Converted when it is first read. */
  readonly schema: JsonSchema;
  /**
   * A model's arguments with the tool's own names. What is no object stays as it is, and the same object is converted
   * once.
   */
  restore<Args>(args: Args): Args;
  /**
   * The same for arguments that the framework passes on as the model wrote them. A text of white space or `null` is no
   * arguments.
   */
  restoreText(text: string): string | JsonObject;
}

/**
 * Converts the inputs of tools for a framework that sends them to a model.
 *
 * @param integration the name of the integration's function, for the error's text.
 * @param provider Absent: a schema that some provider would refuse becomes one that all of them accept, and all others
 * stay unchanged.
 * @throws ToolError `invalid_configuration` for another provider.
 */
export function toolInputs(
  integration: string,
  provider?: ToolProvider,
): (spec: DescribedInput) => ToolInput {
  if (provider !== undefined && !toolProviders.includes(provider)) {
    const names = toolProviders.map((name) => `"${name}"`).join(", ");
    throw integrationError(integration, `the option provider is one of ${names}`);
  }
  const rules = provider === undefined ? portableRules : providerRules[provider];
  return (spec) => new ProjectedInput(spec, rules);
}

class ProjectedInput implements ToolInput {
  readonly #spec: DescribedInput;
  readonly #rules: ProviderRules;
  /** By object: a framework passes the same one to several functions, which compare it. */
  readonly #restored = perObject((args: object) =>
    restoredArguments(args as JsonObject, this.#projection as Projection),
  );

  constructor(spec: DescribedInput, rules: ProviderRules) {
    this.#spec = spec;
    this.#rules = rules;
  }

  get schema(): JsonSchema {
    return this.#projection?.schema ?? anyObject;
  }

  restore<Args>(args: Args): Args {
    return this.#isReversible && isObject(args) ? (this.#restored(args) as Args) : args;
  }

  restoreText(text: string): string | JsonObject {
    if (isNone(text)) return {};
    if (!this.#isReversible) return text;
    try {
      const args = parseLossless(text);
      return isObject(args) ? this.restore(args) : text;
    } catch {
      // The executor reports the problem.
      return text;
    }
  }

  /** `undefined`: the schema cannot be projected. */
  get #projection(): Projection | undefined {
    const attempt = projectOnce(this.#spec, this.#rules);
    return "schema" in attempt ? attempt : undefined;
  }

  get #isReversible(): boolean {
    const projection = this.#projection;
    return projection !== undefined && isReversible(projection);
  }
}

/** In place of a schema that no provider accepts. The executor's error describes the arguments. */
const anyObject: JsonSchema = Object.freeze({ type: "object", properties: Object.freeze({}) });
