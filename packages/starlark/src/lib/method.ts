import type { BuiltinImplementation, BuiltinResult } from "../values/function.ts";
import type { NamedArguments, Value } from "../values/value.ts";
import { failWithName, argumentReader } from "./arguments.ts";

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
