import { ToolError, type JsonSchema, type ToolSelection } from "@toolweave/core";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { TurnOptions } from "./agent-limits.ts";
import type { AgentDefinition, ModelSettings, Thinking } from "./agent-loop.ts";

/** The options of every agent, whatever calls it. */
export interface AgentOptions {
  /** A language model of the AI SDK, of the current specification (`LanguageModelV4` of `@ai-sdk/provider`). */
  readonly model: LanguageModelV4;
  /** The amount of reasoning, for models that support it. Default: the model's own. */
  readonly thinking?: Thinking;
  /** Settings that each request to the model has. */
  readonly settings?: ModelSettings;
}

/**
 * The part of the options that the loop works with, checked.
 *
 * @throws ToolError `invalid_configuration`
 */
export function checkDefinition(
  where: string,
  { model, thinking, settings }: AgentOptions,
  output: JsonSchema | undefined,
): AgentDefinition {
  const given = model as Partial<LanguageModelV4> | undefined;
  if (typeof given?.doStream !== "function" && typeof given?.doGenerate !== "function") {
    throw new ToolError(
      "invalid_configuration",
      `${where}: model is no language model; pass one of a provider package, such as openai("gpt-5").`,
    );
  }
  if (given.specificationVersion !== "v4") {
    throw new ToolError(
      "invalid_configuration",
      `${where}: the model has the specification ${String(given.specificationVersion)}; install a version of its provider package with v4.`,
    );
  }
  if (output !== undefined && (typeof output !== "object" || output === null)) {
    throw new ToolError("invalid_configuration", `${where}: output is no JSON Schema.`);
  }
  return { model, thinking, settings, output };
}

/**
 * How the calls of a turn are made, checked.
 *
 * @throws ToolError `invalid_configuration`
 */
export function checkTurns(
  where: string,
  { strategy, maxConcurrency, stopWhen }: TurnOptions,
): TurnOptions {
  const wrong = (what: string): ToolError =>
    new ToolError("invalid_configuration", `${where}: ${what}`);
  if (!isStrategy(strategy)) {
    throw wrong(
      'strategy is "parallel", "sequential" or { batched: n }, n a whole number above 0.',
    );
  }
  if (maxConcurrency !== undefined && !isPositiveInteger(maxConcurrency)) {
    throw wrong("maxConcurrency is no whole number above 0.");
  }
  if (stopWhen !== undefined && typeof stopWhen !== "function")
    throw wrong("stopWhen is no function.");
  return {
    ...(strategy === undefined ? {} : { strategy }),
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    ...(stopWhen === undefined ? {} : { stopWhen }),
  };
}

function isStrategy(strategy: TurnOptions["strategy"]): boolean {
  if (strategy === undefined || strategy === "parallel" || strategy === "sequential") return true;
  return isPositiveInteger((strategy as { batched?: unknown } | null)?.batched);
}

function isPositiveInteger(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) > 0;
}

/** Globs over names, or a whole selection. */
export function toSelection(tools: ToolSelection | readonly string[]): ToolSelection {
  return isList(tools) ? { include: tools } : tools;
}

function isList(tools: ToolSelection | readonly string[]): tools is readonly string[] {
  return Array.isArray(tools);
}
