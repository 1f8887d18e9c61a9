import type { JsonRecord } from "../document/record.ts";
import { getWrittenText } from "../document/loading/written-texts.ts";
import { isRecord } from "../document/record.ts";

/** The values of `enum` or `const` in the types that the schema allows. */
export interface AlignedValues {
  /** The keywords that replace those of the schema. */
  readonly keywords: JsonRecord;
  /** The change, for the host; a full sentence. */
  readonly message: string;
}

/**
 * Reads the values of `enum` and `const` as the author must have meant them if their type is not one that the schema
 * allows. By the letter such a value is never valid (JSON Schema 2020-12 Validation, section 6.1): `type: string, enum:
 * [1, 2]` means the texts. A value that has no form in the type, such as a word beside numbers, adds its own type. The
 * values of a list are those of its items.
 *
 * @param types the types that all schemas of the value allow.
 * @param ownTypes true if the schema itself names them, so that they can be extended.
 * @returns undefined if every value has one of the types.
 */
export function alignValues(
  schema: JsonRecord,
  types: readonly string[],
  ownTypes: boolean,
): AlignedValues | undefined {
  const { enum: values, const: constant } = schema;
  const list: readonly unknown[] = Array.isArray(values) ? values : [];
  const isConstant = constant !== undefined;
  const all: readonly unknown[] = isConstant ? [...list, constant] : list;
  if (areNeutral(all, types)) return undefined;
  if (types.join() === "array" && list.length > 0 && list.every((value) => isScalar(value))) {
    return toItemValues(schema, list);
  }
  const keywords: Record<string, unknown> = {};
  if (list.length > 0) {
    keywords["enum"] = [
      ...new Set(
        list.map((value, index) => align(value, types, () => getWrittenText(list, index))),
      ),
    ];
  }
  if (isConstant) {
    keywords["const"] = align(constant, types, () => getWrittenText(schema, "const"));
  }
  const others = [...((keywords["enum"] ?? []) as unknown[]), keywords["const"]].filter(
    (value) => isScalar(value) && !isNeutral(value, types),
  );
  if (others.length > 0) {
    if (!ownTypes) return undefined;
    keywords["type"] = [...new Set([...types, ...others.map(getType)])];
  }
  const name = list.length > 0 ? "enum" : "const";
  const read = [...((keywords["enum"] ?? []) as unknown[]), keywords["const"]].filter(
    (value) => value !== undefined && !all.includes(value),
  );
  const reading =
    read.length > 0
      ? `are read as ${formatValues(read)}`
      : `are accepted nevertheless: ${formatValues(others)}`;
  return {
    keywords,
    message: `Values of ${name} are not of the type of the schema (${types.join(" or ")}), and ${reading}.`,
  };
}

function toItemValues({ items }: JsonRecord, list: readonly unknown[]): AlignedValues | undefined {
  if (items !== undefined && (!isRecord(items) || items["enum"] !== undefined)) return undefined;
  return {
    keywords: { enum: undefined, items: { ...items, enum: list } },
    message: `Values of enum are not lists, and are read as those of its items: ${formatValues(list)}.`,
  };
}

function areNeutral(values: readonly unknown[], types: readonly string[]): boolean {
  const areTexts = types.includes("string");
  for (const value of values) {
    if (!(areTexts && typeof value === "string") && !isNeutral(value, types)) return false;
  }
  return true;
}

/** Returns true for a value that has one of the types, and for null and structures, which have one form only. */
function isNeutral(value: unknown, types: readonly string[]): boolean {
  if (value === undefined || value === null) return true;
  const type = getType(value);
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

function isScalar(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

function getType(value: unknown): string {
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return Array.isArray(value) ? "array" : typeof value;
}

function align(
  value: unknown,
  types: readonly string[],
  getText: () => string | undefined,
): unknown {
  if (isNeutral(value, types)) return value;
  if (typeof value === "number" || typeof value === "boolean") {
    return types.includes("string") ? (getText() ?? String(value)) : value;
  }
  if (typeof value !== "string") return value;
  if (types.includes("boolean") && /^(?:true|false)$/.test(value)) return value === "true";
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value)) return value;
  const number = Number(value);
  // A number that JavaScript would round stays a text.
  const isExact = Math.abs(number) <= Number.MAX_SAFE_INTEGER;
  return isExact && isNeutral(number, types) ? number : value;
}

function formatValues(values: readonly unknown[]): string {
  const texts = values.slice(0, 5).map((value) => JSON.stringify(value).slice(0, 40));
  return `${texts.join(", ")}${values.length > texts.length ? ", …" : ""}`;
}
