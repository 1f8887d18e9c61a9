import { fail } from "../values/error.ts";
import { nearestName } from "../values/nearest-name.ts";
import { isCallable } from "../values/function.ts";
import { isInt, toMachineInt } from "../values/int.ts";
import { StarlarkList } from "../values/list.ts";
import { quote } from "../values/quote.ts";
import { toItems, typeName } from "../values/value.ts";
import type { NamedArguments, Value } from "../values/value.ts";
import { fromUtf8 } from "../values/utf8.ts";

/** The values that a parameter accepts; `any` is everything. */
export type ParameterKind = "any" | "string" | "bool" | "int" | "iterable" | "callable" | "list";

function check(kind: ParameterKind, value: Value): string | undefined {
  const accepted =
    kind === "any" ||
    (kind === "string" && typeof value === "string") ||
    (kind === "bool" && typeof value === "boolean") ||
    (kind === "int" && isInt(value)) ||
    (kind === "iterable" && typeof value === "object" && value !== null && isIterable(value)) ||
    (kind === "callable" && isCallable(value)) ||
    (kind === "list" && value instanceof StarlarkList);
  if (!accepted) return `got ${typeName(value)}, want ${kind}`;
  if (kind !== "int" || typeof value === "number") return undefined;
  try {
    toMachineInt(value);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Whether a value can be iterated, without the cost of its items. */
function isIterable(value: Exclude<Value, null | boolean | number | bigint | string>): boolean {
  return value.type === "range" || value.length !== undefined
    ? value.type !== "bytes"
    : toItems(value) !== undefined;
}

/** The positional arguments of a built-in function that takes no names. Missing ones are `undefined`. */
export function unpackPositional(
  name: string,
  args: readonly Value[],
  named: NamedArguments,
  minimum: number,
  kinds: readonly ParameterKind[],
): void {
  if (named.length > 0) fail(`${name}: unexpected keyword arguments`);
  const { length } = args;
  if (length < minimum) {
    fail(
      `${name}: got ${length} arguments, want ${minimum < kinds.length ? "at least " : ""}${minimum}`,
    );
  }
  if (length > kinds.length) {
    fail(
      `${name}: got ${length} arguments, want ${kinds.length > minimum ? "at most " : ""}${kinds.length}`,
    );
  }
  for (let index = 0; index < length; index++) {
    const problem = check(kinds[index] as ParameterKind, args[index] as Value);
    if (problem !== undefined) fail(`${name}: for parameter ${index + 1}: ${problem}`);
  }
}

/** A parameter of a built-in function that can be given by name. A `?` at the end of the name means optional. */
export type NamedParameter = readonly [name: string, kind: ParameterKind];

/** The arguments of a built-in function in the order of its parameters. Missing ones are `undefined`. */
export function unpack(
  name: string,
  args: readonly Value[],
  named: NamedArguments,
  parameters: readonly NamedParameter[],
): (Value | undefined)[] {
  if (args.length > parameters.length) {
    fail(`${name}: got ${args.length} arguments, want at most ${parameters.length}`);
  }
  const names = parameters.map(([parameter]) => parameter.replace("?", ""));
  const values = Array.from<Value | undefined>({ length: parameters.length });
  const accept = (index: number, value: Value): void => {
    const problem = check((parameters[index] as NamedParameter)[1], value);
    if (problem !== undefined) fail(`${name}: for parameter ${names[index]}: ${problem}`);
    values[index] = value;
  };
  for (const [index, value] of args.entries()) accept(index, value);
  for (const [key, value] of named) {
    const index = names.indexOf(key);
    if (index === -1) {
      const nearest = nearestName(fromUtf8(key), names);
      fail(
        `${name}: unexpected keyword argument ${quote(key)}${nearest === undefined ? "" : ` (did you mean ${nearest}?)`}`,
      );
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
    if (error instanceof Error && "code" in error && error.code === "execution_failed")
      fail(`${name}: ${error.message}`);
    throw error;
  }
}
