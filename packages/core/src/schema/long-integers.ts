import { exactDigits } from "../contract/exact-json.ts";
import type { ValidationProblem } from "../contract/tool.ts";
import { isLongInteger } from "../json/exact-number.ts";
import { childPointer, parsePointer, resolvePointer } from "../json/json-pointer.ts";
import { isObject, type JsonObject, type JsonSchema, type JsonValue } from "../json/json.ts";
import { getItemSchemas, resolveReference } from "../json-schema/subschemas.ts";
import type { CompiledSchema } from "./schema-validator.ts";

/** The result of `checkLongIntegers`. */
export interface LongIntegerCheck {
  readonly problems: readonly ValidationProblem[] | undefined;
  /** The places where the schema wants an integer, and the arguments have the digits of a long one. */
  readonly places: readonly string[];
}

/**
 * Checks arguments that hold integers which a JavaScript number cannot hold, as texts of their digits. Where the schema
 * accepts an integer and no text, such a text is an integer.
 *
 * @param problems of the arguments with the texts.
 * @param written the places of those that were written as numbers: they are never texts.
 */
export function checkLongIntegers(
  args: JsonObject,
  schema: JsonSchema,
  compiled: CompiledSchema,
  problems: readonly ValidationProblem[] | undefined,
  written: readonly string[],
): LongIntegerCheck {
  const check = (places: Iterable<string>): readonly ValidationProblem[] | undefined =>
    compiled(replaceAt(args, places, Number));
  // Injected and undeclared arguments have been removed since.
  const places = new Set(written.filter((place) => isLongInteger(resolvePointer(args, place))));
  const texts = findTexts(args).filter((place) => !places.has(place));
  let found = places.size === 0 ? problems : check(places);
  const wrong = new Set(found?.map(({ path }) => path));
  const refused = texts.filter((place) => isWithin(place, wrong));
  if (refused.length > 0) {
    for (const place of refused) places.add(place);
    found = check(places);
    // No integer is right there: its problem is that of the text.
    const still = new Set(found?.map(({ path }) => path));
    const others = refused.filter(
      (place) => still.has(place) && findProblem(args, place, schema)?.isOfType === true,
    );
    if (others.length > 0) {
      for (const place of others) places.delete(place);
      found = check(places);
    }
  }
  const accepted = new Set(problems?.map(({ path }) => path));
  const limits: ValidationProblem[] = [];
  for (const place of places) {
    const digits = resolvePointer(args, place) as string;
    const isText = written.includes(place) && !isWithin(place, accepted);
    const message = isText
      ? `is ${digits}, an integer that a number cannot hold: send it as a text, in quotes`
      : findProblem(args, place, schema)?.message;
    if (message !== undefined) limits.push({ path: place, message });
  }
  const exceeded = new Set(limits.map(({ path }) => path));
  // Limits of these integers are checked exactly above, and not by their rounded values.
  const others = found?.filter(
    (problem) =>
      !exceeded.has(problem.path) && !(places.has(problem.path) && isLimit(problem.message)),
  );
  const all = [...limits, ...(others ?? [])];
  return { problems: all.length === 0 ? undefined : all, places: [...places] };
}

/** Copies JSON data with other values in these places. */
export function replaceAt(
  args: JsonObject,
  places: Iterable<string>,
  convert: (digits: string) => unknown,
): JsonObject {
  const copy = structuredClone(args);
  for (const place of places) {
    const end = place.lastIndexOf("/");
    const holder = resolvePointer(copy, place.slice(0, end)) as object;
    const [key = ""] = parsePointer(place.slice(end));
    const value = convert((holder as Readonly<Record<string, string>>)[key] as string);
    Object.defineProperty(holder, key, { value, enumerable: true, writable: true });
  }
  return copy;
}

/** True for arguments with the digits of a long integer, anywhere in them. */
export function holdsLongIntegers(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return isLongInteger(value);
  return Object.values(value).some(holdsLongIntegers);
}

function findTexts(value: JsonValue, pointer = "", found: string[] = []): string[] {
  if (isLongInteger(value)) found.push(pointer);
  else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      findTexts(member as JsonValue, childPointer(pointer, key), found);
    }
  }
  return found;
}

/** True if a problem is about the place, or about something around it. */
function isWithin(place: string, problems: ReadonlySet<string>): boolean {
  for (let outer = place; ; outer = outer.slice(0, outer.lastIndexOf("/"))) {
    if (problems.has(outer)) return true;
    if (outer === "") return false;
  }
}

/** The problems of keywords whose limits are numbers, in the words of both validators. */
function isLimit(message: string): boolean {
  return /multiple|less|greater|[<>]|divisible|must be (?:one of |-?[0-9])|enum|const/.test(
    message,
  );
}

interface IntegerProblem {
  readonly message: string;
  /** No integer is valid. */
  readonly isOfType: boolean;
}

function findProblem(
  args: JsonObject,
  place: string,
  schema: JsonSchema,
): IntegerProblem | undefined {
  const value = BigInt(resolvePointer(args, place) as string);
  return findLimit(schema, schema, parsePointer(place), value, 0);
}

/** References may lead in circles. */
const deepest = 200;

/**
 * The limit of a schema that an integer at a place exceeds; `undefined`: none. A choice of schemas holds if one of them
 * does. The limits have the digits of the schema's text, if `parseExact` has read it.
 */
function findLimit(
  node: unknown,
  root: JsonSchema,
  keys: readonly string[],
  value: bigint,
  depth: number,
): IntegerProblem | undefined {
  if (!isObject(node) || depth > deepest) return undefined;
  const inPlace = (schema: unknown): IntegerProblem | undefined =>
    findLimit(schema, root, keys, value, depth + 1);
  const [key, ...rest] = keys;
  const here =
    key === undefined
      ? findOwnLimit(node, value)
      : first(schemasFor(node, key), (schema) => findLimit(schema, root, rest, value, depth + 1));
  return (
    here ??
    inPlace(resolveReference(root, node["$ref"])) ??
    first(toList(node["allOf"]), inPlace) ??
    ofChoice(toList(node["anyOf"]).map(inPlace)) ??
    ofChoice(toList(node["oneOf"]).map(inPlace))
  );
}

function schemasFor(node: JsonSchema, key: string): readonly unknown[] {
  const { properties, additionalProperties } = node;
  if (isObject(properties) && Object.hasOwn(properties, key)) return [properties[key]];
  const { prefix, rest } = getItemSchemas(node);
  return [prefix[Number(key)] ?? rest, additionalProperties];
}

function findOwnLimit(node: JsonSchema, value: bigint): IntegerProblem | undefined {
  const { type } = node;
  const types = type === undefined ? ["integer"] : [type].flat();
  if (!types.includes("integer") && !types.includes("number"))
    return { message: `must be ${types.join(" or ")}`, isOfType: true };
  const choices = node["enum"];
  if (Array.isArray(choices)) {
    const listed = choices.map((choice, index) => write(choices, `${index}`, choice as JsonValue));
    if (!listed.includes(`${value}`))
      return problem(`must be one of ${listed.slice(0, 20).join(", ")}`);
  }
  if (node["const"] !== undefined && write(node, "const", node["const"]) !== `${value}`) {
    return problem(`must be ${write(node, "const", node["const"])}`);
  }
  for (const [keyword, sign, isWithinLimit] of limits) {
    const limit = node[keyword];
    if (typeof limit !== "number") continue;
    const text = write(node, keyword, limit);
    if (!isWithinLimit(value, toScaled(text))) return problem(`must be ${sign} ${text}`);
  }
  if (node["format"] === "int64") {
    if (value > maxInt64) return problem(`must be <= ${maxInt64}`);
    if (value < -maxInt64 - 1n) return problem(`must be >= ${-maxInt64 - 1n}`);
  }
  return undefined;
}

function problem(message: string): IntegerProblem {
  return { message, isOfType: false };
}

const maxInt64: bigint = 2n ** 63n - 1n;

type Scaled = readonly [units: bigint, scale: bigint];

const limits: readonly (readonly [string, string, (value: bigint, limit: Scaled) => boolean])[] = [
  ["minimum", ">=", (value, [units, scale]) => value * scale >= units],
  ["maximum", "<=", (value, [units, scale]) => value * scale <= units],
  ["exclusiveMinimum", ">", (value, [units, scale]) => value * scale > units],
  ["exclusiveMaximum", "<", (value, [units, scale]) => value * scale < units],
  [
    "multipleOf",
    "multiple of",
    (value, [units, scale]) => units !== 0n && (value * scale) % units === 0n,
  ],
];

/** A number as a fraction: 0.05 → 5 / 100. */
function toScaled(text: string): Scaled {
  const [, whole = "0", fraction = "", exponent = "0"] =
    /^(-?[0-9]+)(?:\.([0-9]+))?(?:e([-+]?[0-9]+))?$/i.exec(text) ?? [];
  const shift = Number(exponent) - fraction.length;
  const units = BigInt(whole + fraction);
  return shift < 0 ? [units, 10n ** BigInt(-shift)] : [units * 10n ** BigInt(shift), 1n];
}

/** The digits of a number in a schema. */
function write(holder: object, key: string, value: JsonValue): string {
  const text = exactDigits(holder, key, value) ?? JSON.stringify(value);
  return typeof value === "number" && Number.isInteger(value) && /[.e]/i.test(text)
    ? BigInt(value).toString()
    : text;
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function first(
  schemas: readonly unknown[],
  find: (schema: unknown) => IntegerProblem | undefined,
): IntegerProblem | undefined {
  for (const schema of schemas) {
    const found = find(schema);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ofChoice(found: readonly (IntegerProblem | undefined)[]): IntegerProblem | undefined {
  if (found.includes(undefined)) return undefined;
  return found.find((problem) => problem?.isOfType === false) ?? found[0];
}
