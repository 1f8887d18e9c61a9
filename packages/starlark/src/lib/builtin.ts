import { fail, isFailure, nameHint } from "../values/error.ts";
import { isNumber } from "../values/float.ts";
import { Builtin, isCallable } from "../values/function.ts";
import type { BuiltinImplementation, BuiltinResult } from "../values/function.ts";
import { toMachineInt } from "../values/int.ts";
import { quote } from "../values/quote.ts";
import { fromUtf8, toUtf8 } from "../values/utf8.ts";
import { isIterable, type NamedArguments, typeName, type Value } from "../values/value.ts";

/** The values that each kind of parameter accepts. An int has at most 64 bits. */
const kinds = {
  any: () => true,
  string: (value: Value) => typeof value === "string",
  bool: (value: Value) => typeof value === "boolean",
  int: (value: Value) => typeof value === "number",
  "float or int": isNumber,
  iterable: isIterable,
  callable: isCallable,
};

type Parameter = ReturnType<typeof toParameter>;

/** The label is the name of the parameter, or its number. */
function toParameter(text: string, index: number) {
  const [kind, label = String(index + 1)] = text.replace("?", "").split(": ").toReversed();
  return { label, kind: kind as keyof typeof kinds, isOptional: text.endsWith("?") };
}

function check(name: string, { kind, label }: Parameter, value: Value): void {
  if (kind === "any" || kinds[kind](value)) return;
  withName(`${name}: for parameter ${label}`, () =>
    kind === "int" ? toMachineInt(value) : fail(`got ${typeName(value)}, want ${kind}`),
  );
}

/** Checks the arguments of a call. Returns them in the order of the parameters; missing ones are `undefined`. */
export type ArgumentReader = (args: readonly Value[], named: NamedArguments) => readonly unknown[];

/**
 * The parameters of a built-in function, prepared once:
 *
 * - `any, int?` are parameters without names, of which the second is optional.
 * - `x: any, base: int?` can also be given by name.
 * - `any, *, indent: string?` has parameters without names and, after the star, those that are given by name only.
 * - `1` and `exactly 1` are one value. They stand in the text of the error as they do in starlark-go.
 * - `*, sep: string?` has any number of parameters without names, which are one array.
 * - `*, **` are all arguments, unchecked: an array of those without names, and those with names.
 */
export function argumentReader(name: string, parameters: string): ArgumentReader {
  if (parameters === "*") return (args) => [args];
  if (parameters === "**") return (_, named) => [named];
  if (parameters.endsWith("1")) {
    return (args, named) => {
      if (named.length > 0) fail(`${name} does not accept keyword arguments`);
      if (args.length !== 1) fail(`${name}: got ${args.length} arguments, want ${parameters}`);
      return args;
    };
  }
  const [, positional = "*", keywordOnly] = /^(?:(.+), )?\*, (.+)$/.exec(parameters) ?? [];
  if (keywordOnly !== undefined) {
    const read = argumentReader(name, positional);
    const readNamed = argumentReader(name, keywordOnly);
    return (args, named) => {
      const options = readNamed([], named);
      return [...read(args, []), ...options];
    };
  }
  const list = parameters === "" ? [] : parameters.split(", ").map(toParameter);
  const hasNames = parameters.includes(":");
  const required = list.filter(({ isOptional }) => !isOptional).length;
  return (args, named) => {
    const { length } = args;
    if (named.length > 0 && !hasNames) fail(`${name}: unexpected keyword arguments`);
    if (length > list.length || (length < required && !hasNames)) {
      const bound = length < required ? "at least " : "at most ";
      const wanted = length < required ? required : list.length;
      const isExact = required === list.length && !hasNames;
      fail(`${name}: got ${length} arguments, want ${isExact ? "" : bound}${wanted}`);
    }
    for (let index = 0; index < length; index++)
      check(name, list[index] as Parameter, args[index] as Value);
    return hasNames ? readNamed(name, list, args, named) : args;
  };
}

/** The arguments without names, which are checked, and those that are given by name. */
function readNamed(
  name: string,
  list: readonly Parameter[],
  args: readonly Value[],
  named: NamedArguments,
): (Value | undefined)[] {
  const labels = list.map(({ label }) => label);
  const values: (Value | undefined)[] = [...args];
  for (const [key, value] of named) {
    const index = labels.indexOf(key);
    if (index === -1) {
      const hint = nameHint(fromUtf8(key), labels);
      fail(`${name}: unexpected keyword argument ${quote(key)}${hint}`);
    }
    if (values[index] !== undefined)
      fail(`${name}: got multiple values for keyword argument ${quote(key)}`);
    check(name, list[index] as Parameter, value);
    values[index] = value;
  }
  const missing = list.find(({ isOptional }, index) => !isOptional && values[index] === undefined);
  if (missing !== undefined) fail(`${name}: missing argument for ${missing.label}`);
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
  if (isFailure(error)) fail(`${name}: ${toUtf8(error.message)}`);
  throw error;
}

/**
 * Built-in functions by their signatures, such as `"pop(int?)"`: a name and parameters (see `argumentReader`). A result that is
 * missing is `None`.
 */
export type Definitions<Before extends unknown[]> = Readonly<
  Record<string, (...args: [...Before, ...never[]]) => BuiltinResult | void>
>;

export type Method<Receiver extends Value = Value> = (
  receiver: Receiver,
  args: Value[],
  named: NamedArguments,
) => BuiltinResult;

export type MethodTable<Receiver extends Value> = ReadonlyMap<string, Method<Receiver>>;

/** Whether the errors of functions get their names. For some functions, starlark-go does not add them. */
type ErrorNames = "named errors" | "plain errors";

/** The methods of a type. */
export function defineMethods<Receiver extends Value>(
  definitions: Definitions<[Receiver]>,
  errors: ErrorNames = "named errors",
): MethodTable<Receiver> {
  return new Map(
    Object.entries(definitions).map(([signature, run]) => {
      const [name, read] = toReader(signature);
      const method: Method<Receiver> = (receiver, args, named) => {
        const values = read(args, named) as never[];
        try {
          return run(receiver, ...values) ?? null;
        } catch (error) {
          if (errors === "plain errors") throw error;
          return failWithName(name, error);
        }
      };
      return [name, method];
    }),
  );
}

/** Functions of the language or of a module. */
export function defineFunctions(
  definitions: Definitions<[]>,
  errors: ErrorNames = "named errors",
): [string, Builtin][] {
  return Object.entries(definitions).map(([signature, run]) => {
    const [name, read] = toReader(signature);
    const call: BuiltinImplementation = (args, named) => {
      const values = read(args, named) as never[];
      try {
        return run(...values) ?? null;
      } catch (error) {
        if (errors === "plain errors") throw error;
        return failWithName(name, error);
      }
    };
    return [name, new Builtin(name, call)];
  });
}

function toReader(signature: string): [name: string, read: ArgumentReader] {
  const [name, parameters] = signature.slice(0, -1).split("(") as [string, string];
  return [name, argumentReader(name, parameters)];
}
