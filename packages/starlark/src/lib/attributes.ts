import { fail, nameHint } from "../values/error.ts";
import { charge, sizes, spend } from "../values/budget.ts";
import { Builtin } from "../values/function.ts";
import { toUtf8 } from "../values/utf8.ts";
import { StarlarkObject, typeName, type Value } from "../values/value.ts";
import { dictMethods, listMethods, setMethods } from "./collection-methods.ts";
import type { Method, MethodTable } from "./builtin.ts";
import { bytesMethods, stringMethods } from "./string-methods.ts";

const methodTables: ReadonlyMap<string, MethodTable<never>> = new Map<string, MethodTable<never>>([
  ["bytes", bytesMethods],
  ["dict", dictMethods],
  ["list", listMethods],
  ["set", setMethods],
  ["string", stringMethods],
]);

/** The methods with a name, by the types that have one. */
export function methodsNamed(name: string): ReadonlyMap<string, Method> {
  const methods = Array.from(methodTables, ([type, table]) => [type, table.get(name)] as const);
  return new Map(methods.filter(([, method]) => method !== undefined)) as Map<string, Method>;
}

/** The value of an attribute, or a method with its receiver. */
export function findAttribute(value: Value, name: string): Value | undefined {
  spend(name.length >> 6);
  const method = methodTables.get(typeName(value))?.get(name) as Method | undefined;
  if (method !== undefined) {
    charge(2 * sizes.object);
    return new Builtin(name, (args, named) => method(value, args, named), value);
  }
  return value instanceof StarlarkObject ? value.attribute?.(name) : undefined;
}

/** The names of the attributes in order, as `dir` lists them. */
export function attributeNames(value: Value): readonly string[] {
  const methods = methodTables.get(typeName(value));
  if (methods !== undefined) return [...methods.keys()].sort();
  return value instanceof StarlarkObject ? (value.attributeNames?.() ?? []) : [];
}

/** `x.name`, or `fallback` if the attribute does not exist. Without one, the error proposes the nearest name. */
export function getAttribute(value: Value, name: string, fallback?: Value): Value {
  const found = findAttribute(value, name);
  if (found !== undefined) return found;
  if (fallback !== undefined) return fallback;
  const hint = nameHint(name, attributeNames(value), ".");
  return fail(`${typeName(value)} has no .${toUtf8(name)} field or method${hint}`);
}

/** `x.name = value`. */
export function setAttribute(object: Value, name: string, value: Value): void {
  if (object instanceof StarlarkObject && object.setAttribute?.(name, value) === true) return;
  fail(`can't assign to .${toUtf8(name)} field of ${typeName(object)}`);
}
