import type { JsonObject, JsonValue } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import { stringsIn } from "./count-violations.ts";
import { schemaParts, type SchemaRoot } from "./schema-parts.ts";
import type { SchemaView } from "./schema-view.ts";

/** The type of a field in a few words, in the terms of JSON Schema: `string, date-time`, `array of integer`. */
export function fieldType(root: SchemaRoot, { kind, base, choices }: SchemaView): string {
  const { format, items } = base;
  switch (kind) {
    case "const":
      return "constant";
    case "enum":
      return "enum";
    case "text":
      return typeof format === "string" ? `string, ${format}` : "string";
    case "number":
      return stringsIn([base["type"]].flat()).includes("number") ? "number" : "integer";
    case "array": {
      const item = isObject(items) ? schemaParts(root, items).base["type"] : undefined;
      return typeof item === "string" ? `array of ${item}` : "array";
    }
    case "any":
    case "impossible":
      return "JSON";
    case "unselected":
      return `one of ${choices.at(-1)?.branches.length ?? 0} kinds`;
    default:
      return kind;
  }
}

type Words = readonly [min: string, max: string, unit: string];
const ranges: readonly Words[] = [
  ["minLength", "maxLength", "characters"],
  ["minItems", "maxItems", "items"],
  ["minProperties", "maxProperties", "members"],
  ["minimum", "maximum", ""],
];

/** The constraints of a field, each in a few words: `1 to 100`, `at most 20 characters`, `pattern ^a`. */
export function fieldConstraints({ base, alternatives, excluded }: SchemaView): readonly string[] {
  const texts = ranges.flatMap(([min, max, unit]) => range(base[min], base[max], unit) ?? []);
  const { exclusiveMinimum, exclusiveMaximum, multipleOf, pattern, uniqueItems, contentMediaType } =
    base;
  if (typeof exclusiveMinimum === "number") texts.push(`above ${exclusiveMinimum}`);
  if (typeof exclusiveMaximum === "number") texts.push(`below ${exclusiveMaximum}`);
  if (typeof multipleOf === "number") texts.push(`a multiple of ${multipleOf}`);
  if (typeof pattern === "string") texts.push(`pattern ${pattern}`);
  if (uniqueItems === true) texts.push("no equal items");
  if (typeof contentMediaType === "string") texts.push(contentMediaType);
  if (base["deprecated"] === true) texts.push("deprecated");
  if (alternatives.length > 0) {
    const names = alternatives.filter((list) => list.length > 0).map((list) => list.join(" and "));
    if (names.length > 0) texts.push(`needs ${names.join(", or ")}`);
  }
  if (excluded > 0) texts.push("some values are excluded");
  return texts;
}

function range(
  min: JsonValue | undefined,
  max: JsonValue | undefined,
  unit: string,
): string | undefined {
  const end = unit === "" ? "" : ` ${unit}`;
  const from = typeof min === "number" && !(unit !== "" && min === 0) ? min : undefined;
  const to = typeof max === "number" && max < Number.MAX_SAFE_INTEGER ? max : undefined;
  if (from !== undefined && to !== undefined) {
    return from === to ? `exactly ${from}${end}` : `${from} to ${to}${end}`;
  }
  if (from !== undefined) return `at least ${from}${end}`;
  return to === undefined ? undefined : `at most ${to}${end}`;
}

/** Values that a schema offers: its default first, then its examples. */
export interface OfferedValue {
  readonly value: JsonValue;
  readonly source: "default" | "example";
}

const maxExamples = 3;

/** The default and examples of a schema. They are offered, and never inserted. */
export function offeredValues(base: JsonObject): readonly OfferedValue[] {
  const offers: OfferedValue[] = [];
  if (base["default"] !== undefined) offers.push({ value: base["default"], source: "default" });
  const examples = Array.isArray(base["examples"])
    ? (base["examples"] as readonly JsonValue[])
    : base["example"] === undefined
      ? []
      : [base["example"]];
  for (const value of examples.slice(0, maxExamples)) offers.push({ value, source: "example" });
  const texts = offers.map(({ value }) => JSON.stringify(value));
  return offers.filter((_, index) => texts.indexOf(texts[index] as string) === index);
}
