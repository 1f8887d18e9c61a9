import { fail, nameHint } from "../values/error.ts";
import { charge, sizes } from "../values/budget.ts";
import { StarlarkBytes } from "../values/bytes.ts";
import { StarlarkDict, StarlarkSet } from "../values/dict.ts";
import { Builtin } from "../values/function.ts";
import { StarlarkList } from "../values/sequence.ts";
import { toUtf8 } from "../values/utf8.ts";
import { StarlarkObject, typeName, type Value } from "../values/value.ts";
import { dictMethods, listMethods, setMethods } from "./collection-methods.ts";
import type { Method, MethodTable } from "./builtin.ts";
import { bytesMethods, stringMethods } from "./string-methods.ts";

function getMethods(value: Value): MethodTable<never> | undefined {
  if (typeof value === "string") return stringMethods;
  if (value instanceof StarlarkDict) return dictMethods;
  if (value instanceof StarlarkList) return listMethods;
  if (value instanceof StarlarkSet) return setMethods;
  return value instanceof StarlarkBytes ? bytesMethods : undefined;
}

function findMethod(value: Value, name: string): Method | undefined {
  return getMethods(value)?.get(name) as Method | undefined;
}

/** Finds the method with a name for values of any type; prepared once, for a place in a program. */
export function methodFinder(name: string): (value: Value) => Method | undefined {
  const ofDict = dictMethods.get(name) as Method | undefined;
  const ofString = stringMethods.get(name) as Method | undefined;
  return (value) => {
    if (typeof value === "string") return ofString;
    return value instanceof StarlarkDict ? ofDict : findMethod(value, name);
  };
}

/** The value of an attribute, or a method with its receiver. */
export function findAttribute(value: Value, name: string): Value | undefined {
  const method = findMethod(value, name);
  if (method !== undefined) {
    charge(2 * sizes.object);
    return new Builtin(name, (args, named) => method(value, args, named), value);
  }
  return value instanceof StarlarkObject ? value.attribute(name) : undefined;
}

/** The names of the attributes in order, as `dir` lists them. */
export function attributeNames(value: Value): readonly string[] {
  const methods = getMethods(value);
  if (methods !== undefined) return [...methods.keys()].sort();
  return value instanceof StarlarkObject ? value.attributeNames() : [];
}

/** Fails for an attribute that does not exist, with the nearest name. */
export function missingAttribute(value: Value, name: string): never {
  const hint = nameHint(name, attributeNames(value), ".");
  return fail(`${typeName(value)} has no .${toUtf8(name)} field or method${hint}`);
}

/** `x.name`. */
export function getAttribute(value: Value, name: string): Value {
  const found = findAttribute(value, name);
  return found === undefined ? missingAttribute(value, name) : found;
}

/** `x.name = value`. */
export function setAttribute(object: Value, name: string, value: Value): void {
  if (object instanceof StarlarkObject && object.setAttribute(name, value)) return;
  fail(`can't assign to .${toUtf8(name)} field of ${typeName(object)}`);
}
