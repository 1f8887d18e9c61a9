import { fail, isFailure, nameHint } from "../values/error.ts";
import { type BuiltinImplementation, type BuiltinResult, isCallable } from "../values/function.ts";
import { toMachineInt } from "../values/int.ts";
import { fromUtf8, quote } from "../values/utf8.ts";
import { isIterable, type NamedArguments, typeName, type Value } from "../values/value.ts";

/** The values that a parameter accepts; `any` is everything. An int has at most 64 bits. */
type ParameterKind = "any" | "string" | "bool" | "int" | "iterable" | "callable";

const accepts: Readonly<Record<ParameterKind, (value: Value) => boolean>> = {
  any: () => true,
  string: (value) => typeof value === "string",
  bool: (value) => typeof value === "boolean",
  int: (value) => typeof value === "number",
  iterable: isIterable,
  callable: isCallable,
};

function check(name: string, parameter: string | number, kind: ParameterKind, value: Value): void {
  if (kind === "any" || accepts[kind](value)) return;
  withName(`${name}: for parameter ${parameter}`, () =>
    kind === "int" ? toMachineInt(value) : fail(`got ${typeName(value)}, want ${kind}`),
  );
}

/** Checks the arguments of a call. Returns them in the order of the parameters; missing ones are `undefined`. */
export type ArgumentReader = (
  args: readonly Value[],
  named: NamedArguments,
) => readonly (Value | undefined)[];

/**
 * The parameters of a built-in function, prepared once. `"any, int?"` are parameters without names, `"x: any, base?: int"` can
 * also be given by name. A `?` means optional.
 */
export function argumentReader(name: string, parameters: string): ArgumentReader {
  const parts = parameters === "" ? [] : parameters.split(", ");
  if (parameters.includes(":")) {
    const list = parts.map((part) => part.split(": ") as [string, ParameterKind]);
    return (args, named) => unpack(name, args, named, list);
  }
  const kinds = parts.map((part) => part.replace("?", "") as ParameterKind);
  const minimum = parts.filter((part) => !part.endsWith("?")).length;
  return (args, named) => {
    if (named.length > 0) fail(`${name}: unexpected keyword arguments`);
    const { length } = args;
    if (length < minimum || length > kinds.length) {
      const bound = minimum === kinds.length ? "" : length < minimum ? "at least " : "at most ";
      const wanted = length < minimum ? minimum : kinds.length;
      fail(`${name}: got ${length} arguments, want ${bound}${wanted}`);
    }
    for (let index = 0; index < length; index++)
      check(name, index + 1, kinds[index] as ParameterKind, args[index] as Value);
    return args;
  };
}

/** Checks arguments that can be given by name. A `?` at the end of the name of a parameter means optional. */
function unpack(
  name: string,
  args: readonly Value[],
  named: NamedArguments,
  parameters: readonly (readonly [name: string, kind: ParameterKind])[],
): (Value | undefined)[] {
  if (args.length > parameters.length)
    fail(`${name}: got ${args.length} arguments, want at most ${parameters.length}`);
  const names = parameters.map(([parameter]) => parameter.replace("?", ""));
  const values = Array.from<Value | undefined>({ length: parameters.length });
  const accept = (index: number, value: Value): void => {
    const kind = parameters[index]?.[1] ?? "any";
    check(name, names[index] as string, kind, value);
    values[index] = value;
  };
  for (const [index, value] of args.entries()) accept(index, value);
  for (const [key, value] of named) {
    const index = names.indexOf(key);
    if (index === -1) {
      const hint = nameHint(fromUtf8(key), names);
      fail(`${name}: unexpected keyword argument ${quote(key)}${hint}`);
    }
    if (values[index] !== undefined)
      fail(`${name}: got multiple values for keyword argument ${quote(key)}`);
    accept(index, value);
  }
  for (const [index, [parameter]] of parameters.entries()) {
    if (!parameter.endsWith("?") && values[index] === undefined)
      fail(`${name}: missing argument for ${parameter}`);
  }
  return values;
}

/** Adds the name of the built-in function to an error of `run`. */
export function withName<Result>(name: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    return failWithName(name, error);
  }
}

/** Fails with an error to which the name of the built-in function is added. */
export function failWithName(name: string, error: unknown): never {
  if (isFailure(error)) fail(`${name}: ${error.message}`);
  throw error;
}

export type Method<Receiver extends Value = Value> = (
  receiver: Receiver,
  args: Value[],
  named: NamedArguments,
) => BuiltinResult;

export type MethodTable<Receiver extends Value> = ReadonlyMap<string, Method<Receiver>>;

/**
 * A built-in function: its parameters (see `argumentReader`) and what it does with their values. Its errors get its name. A result
 * that is missing is `None`.
 */
export type Definition<Before extends unknown[]> = readonly [
  parameters: string,
  run: (...args: [...Before, ...never[]]) => BuiltinResult | void,
];

/** The methods of a type. One that is a function reads its arguments itself. */
export function defineMethods<Receiver extends Value>(
  definitions: Readonly<Record<string, Definition<[Receiver]> | Method<Receiver>>>,
): MethodTable<Receiver> {
  return new Map(
    Object.entries(definitions).map(([name, definition]) => [
      name,
      typeof definition === "function" ? definition : toMethod(name, ...definition),
    ]),
  );
}

function toMethod<Receiver extends Value>(
  name: string,
  ...[parameters, run]: Definition<[Receiver]>
): Method<Receiver> {
  const read = argumentReader(name, parameters);
  return (receiver, args, named) => {
    const values = read(args, named) as never[];
    try {
      return run(receiver, ...values) ?? null;
    } catch (error) {
      return failWithName(name, error);
    }
  };
}

export function defineFunction(
  name: string,
  ...[parameters, run]: Definition<[]>
): BuiltinImplementation {
  const method = toMethod(name, parameters, (_: null, ...args: never[]) => run(...args));
  return (args, named) => method(null, args, named);
}
