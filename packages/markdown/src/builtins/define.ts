import type { JsonObject, JsonValue } from "@toolweave/core";
import type {
  BuiltinArguments,
  BuiltinFunction,
  BuiltinParameter,
  BuiltinType,
  Capability,
  ScriptKind,
  ScriptScope,
} from "./builtin.ts";
import type { HostValue } from "@toolweave/starlark";
import { toJsonValue } from "./to-json.ts";

/** Kinds of scripts that may have effects. */
const actingKinds: readonly ScriptKind[] = ["tool", "session", "test"];

/** Every kind of script but a condition, which only computes. */
export const runningKinds: readonly ScriptKind[] = [...actingKinds, "hook"];

/** Every kind of script. */
export const allKinds: readonly ScriptKind[] = [...runningKinds, "condition"];

/** A required parameter. */
export function required(name: string, type: BuiltinType, doc?: string): BuiltinParameter {
  return { name, type, ...(doc === undefined ? {} : { doc }) };
}

/** A parameter with a default. */
export function optional(
  name: string,
  type: BuiltinType,
  fallback: JsonValue,
  doc?: string,
): BuiltinParameter {
  return { name, type, default: fallback, ...(doc === undefined ? {} : { doc }) };
}

/** A function without its module, as the files of this folder write it. */
export interface FunctionDefinition {
  readonly doc: string;
  readonly parameters?: readonly BuiltinParameter[];
  readonly returns: BuiltinType;
  readonly kinds?: readonly ScriptKind[];
  readonly capability?: Capability;
  readonly call: (args: BuiltinArguments, scope: ScriptScope) => HostValue | Promise<HostValue>;
}

/** Functions whose result depends on their arguments alone. */
export function pureFunctions(
  module: string | undefined,
  functions: Readonly<Record<string, FunctionDefinition>>,
): readonly BuiltinFunction[] {
  return toFunctions(module, functions, allKinds, true);
}

/** Functions with an effect, or whose result can differ from call to call. */
export function effectFunctions(
  module: string | undefined,
  functions: Readonly<Record<string, FunctionDefinition>>,
): readonly BuiltinFunction[] {
  return toFunctions(module, functions, actingKinds, false);
}

function toFunctions(
  module: string | undefined,
  functions: Readonly<Record<string, FunctionDefinition>>,
  kinds: readonly ScriptKind[],
  isPure: boolean,
): readonly BuiltinFunction[] {
  return Object.entries(functions).map(([name, { parameters = [], ...definition }]) => ({
    kinds,
    ...definition,
    ...(module === undefined ? {} : { module }),
    name,
    parameters,
    isPure,
  }));
}

/** The arguments without those that are `None`, as JSON. */
export function toArguments(args: BuiltinArguments): JsonObject {
  const entries = Object.entries(args).filter(([, value]) => value !== null);
  return Object.fromEntries(entries.map(([name, value]) => [name, toJsonValue(value, name)]));
}

/** A function that calls a local tool with its own arguments, and returns a part of the result. */
export function direct(
  tool: string,
  definition: Omit<FunctionDefinition, "call">,
  result: (value: JsonObject) => JsonValue = (value) => value,
): FunctionDefinition {
  return {
    ...definition,
    call: async (args, scope) =>
      result((await scope.effect(tool, toArguments(args))) as JsonObject) as HostValue,
  };
}
