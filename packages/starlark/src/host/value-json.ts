import { failLimit, StarlarkError } from "../values/error.ts";
import { chargeItems, chargeString } from "../values/budget.ts";
import { StarlarkBytes } from "../values/bytes.ts";
import { StarlarkDict, StarlarkSet, toDict, toSet } from "../values/dict.ts";
import { StarlarkFloat, toFloat } from "../values/float.ts";
import { fromBigInt } from "../values/int.ts";
import { StarlarkList, toList } from "../values/list.ts";
import { StarlarkTuple, toTuple } from "../values/tuple.ts";
import { fromUtf8, toUtf8 } from "../values/utf8.ts";
import { typeName, type Value } from "../values/value.ts";

const maxDepth = 200;

/** A value as JSON without a loss: every kind that JSON lacks is an object with one key, such as `$float`. */
export function encodeValue(value: Value, depth = 0): unknown {
  if (typeof value === "string") {
    // Values that a list has many times are one in memory, but not as JSON.
    chargeString(value.length);
    const text = fromUtf8(value);
    return toUtf8(text) === value ? text : { $text: value };
  }
  if (typeof value === "bigint") return { $int: value.toString() };
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof StarlarkFloat)
    return { $float: Object.is(value.value, -0) ? "-0" : String(value.value) };
  if (value instanceof StarlarkBytes) return { $bytes: value.data };
  if (depth >= maxDepth) failLimit(`a value is nested too deeply to be saved (limit ${maxDepth})`);
  const encodeAll = (items: readonly Value[]): unknown[] => {
    chargeItems(items.length);
    return items.map((item) => encodeValue(item, depth + 1));
  };
  if (value instanceof StarlarkList) return encodeAll(value.elements);
  if (value instanceof StarlarkTuple) return { $tuple: encodeAll(value.elements) };
  if (value instanceof StarlarkSet) return { $set: encodeAll(value.items()) };
  if (value instanceof StarlarkDict) return { $dict: value.entries().map(encodeAll) };
  throw new StarlarkError("execution_failed", `a ${typeName(value)} cannot be saved`);
}

/** The kinds that JSON lacks, by the key of their object. */
const decoders: Readonly<Record<string, (content: never) => Value>> = {
  $text: (content: string) => content,
  $int: (content: string) => fromBigInt(BigInt(content)),
  $float: (content: string) => toFloat(Number(content)),
  $bytes: (content: string) => new StarlarkBytes(content),
  $tuple: (content: unknown[]) => toTuple(content.map(decodeValue)),
  $set: (content: unknown[]) => toSet(content.map(decodeValue)),
  $dict: (content: [unknown, unknown][]) =>
    toDict(content.map(([key, item]) => [decodeValue(key), decodeValue(item)])),
};

/** The value that `encodeValue` wrote. */
export function decodeValue(json: unknown): Value {
  if (typeof json === "string") {
    chargeString(json.length);
    return toUtf8(json);
  }
  if (typeof json !== "object" || json === null) return json as Value;
  if (Array.isArray(json)) return toList(json.map(decodeValue));
  const [kind, content] = Object.entries(json)[0] as [string, never];
  const decode = Object.hasOwn(decoders, kind) ? decoders[kind] : undefined;
  if (decode !== undefined) return decode(content);
  throw new StarlarkError("outcome_unknown", `the journal has a value of the unknown kind ${kind}`);
}
