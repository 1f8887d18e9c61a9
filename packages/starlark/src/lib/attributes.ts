import { fail } from "../values/error.ts";
import { nearestName } from "../values/nearest-name.ts";
import { StarlarkBytes } from "../values/bytes.ts";
import { StarlarkDict, StarlarkSet } from "../values/dict.ts";
import { Builtin } from "../values/function.ts";
import { StarlarkList } from "../values/list.ts";
import { toUtf8 } from "../values/utf8.ts";
import { StarlarkObject, typeName } from "../values/value.ts";
import type { Value } from "../values/value.ts";
import { bytesMethods } from "./bytes-methods.ts";
import { dictMethods } from "./dict-methods.ts";
import { listMethods } from "./list-methods.ts";
import type { Method } from "./method.ts";
import { setMethods } from "./set-methods.ts";
import { stringMethods } from "./string-methods.ts";

type MethodTable = ReadonlyMap<string, Method<never>>;

function toTable(methods: Record<string, Method<never>>): MethodTable {
  return new Map(Object.entries(methods));
}

const strings = toTable(stringMethods);
const lists = toTable(listMethods);
const dicts = toTable(dictMethods);
const sets = toTable(setMethods);
const bytes = toTable(bytesMethods);

function getMethods(value: Value): MethodTable | undefined {
  if (typeof value === "string") return strings;
  if (value instanceof StarlarkList) return lists;
  if (value instanceof StarlarkDict) return dicts;
  if (value instanceof StarlarkSet) return sets;
  return value instanceof StarlarkBytes ? bytes : undefined;
}

/** Finds the method with a name for values of any type; prepared once, for a place in a program. */
export function methodFinder(name: string): (value: Value) => Method | undefined {
  const [ofString, ofList, ofDict, ofSet, ofBytes] = [strings, lists, dicts, sets, bytes].map(
    (table) => table.get(name) as Method | undefined,
  );
  return (value) => {
    if (typeof value === "string") return ofString;
    if (value instanceof StarlarkDict) return ofDict;
    if (value instanceof StarlarkList) return ofList;
    if (value instanceof StarlarkSet) return ofSet;
    return value instanceof StarlarkBytes ? ofBytes : undefined;
  };
}

/** A method of a value of a built-in type, which is called with the value. */
function findMethod(value: Value, name: string): Method | undefined {
  return getMethods(value)?.get(name) as Method | undefined;
}

/** The value of an attribute, or a method with its receiver. */
export function findAttribute(value: Value, name: string): Value | undefined {
  const method = findMethod(value, name);
  if (method !== undefined)
    return new Builtin(name, (args, named) => method(value, args, named), value);
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
  const nearest = nearestName(name, attributeNames(value));
  return fail(
    `${typeName(value)} has no .${toUtf8(name)} field or method${nearest === undefined ? "" : ` (did you mean .${nearest}?)`}`,
  );
}

/** `x.name`. */
export function getAttribute(value: Value, name: string): Value {
  return findAttribute(value, name) ?? missingAttribute(value, name);
}

/** `x.name = value`. */
export function setAttribute(object: Value, name: string, value: Value): void {
  if (object instanceof StarlarkObject && object.setAttribute(name, value)) return;
  fail(`can't assign to .${toUtf8(name)} field of ${typeName(object)}`);
}
