import type { JsonObject, JsonValue } from "@toolweave/core";
import { isObject, nearNames } from "@toolweave/core/adapter";
import type { Finding, Place } from "../text/finding.ts";
import type { ValuePath, ValuePlaces } from "../text/value-places.ts";

/** A finding without its place. */
export type Report = Pick<Finding, "code" | "message"> &
  Partial<Pick<Finding, "hint" | "severity">>;

/** The fields of one map, read by type. A field of another type is reported and left out. */
export class Fields {
  readonly values: JsonObject;
  readonly places: ValuePlaces;
  readonly path: ValuePath;
  readonly findings: Finding[];
  /** The keys above this map, for messages: `parameters.path`. */
  readonly #title: string;

  constructor(
    values: JsonObject,
    places: ValuePlaces,
    options: {
      readonly path?: ValuePath;
      readonly findings?: Finding[];
      readonly title?: string;
    } = {},
  ) {
    this.values = values;
    this.places = places;
    this.path = options.path ?? [];
    this.findings = options.findings ?? [];
    this.#title = options.title ?? "";
  }

  /** Whether the map has the key, with a value other than `null`. */
  has(key: string): boolean {
    return Object.hasOwn(this.values, key) && this.values[key] !== null;
  }

  get(key: string): JsonValue | undefined {
    return Object.hasOwn(this.values, key) ? this.values[key] : undefined;
  }

  keyPlace(...keys: ValuePath): Place {
    return this.places.key([...this.path, ...keys]);
  }

  /** Reports a fault at the value of a key. A value that has a fault already gets no other one. */
  report(key: string | ValuePath, report: Report): void {
    const path = [...this.path, ...(typeof key === "string" ? [key] : key)];
    if (!this.places.isFaulty(path)) this.#add(this.places.value(path), report);
  }

  /** Reports a fault at a key. */
  reportKey(key: string | ValuePath, report: Report): void {
    const path = [...this.path, ...(typeof key === "string" ? [key] : key)];
    if (!this.places.isFaulty(path)) this.#add(this.places.key(path), report);
  }

  /** The name of a field in messages. */
  title(key: string): string {
    return this.#title === "" ? key : `${this.#title}.${key}`;
  }

  string(key: string): string | undefined {
    const value = this.get(key);
    if (value === undefined || value === null || typeof value === "string")
      return value ?? undefined;
    const isPlain = typeof value === "number" || typeof value === "boolean";
    this.#reportType(
      key,
      value,
      "a text",
      isPlain ? `Put it in quotes: ${key}: "${value}"` : undefined,
    );
    return undefined;
  }

  boolean(key: string): boolean | undefined {
    const value = this.get(key);
    if (value === undefined || value === null || typeof value === "boolean")
      return value ?? undefined;
    const word = typeof value === "string" ? value.toLowerCase() : "";
    const hint = ["yes", "on", "true"].includes(word)
      ? "Write true, without quotes."
      : ["no", "off", "false"].includes(word)
        ? "Write false, without quotes."
        : undefined;
    this.#reportType(key, value, "true or false", hint);
    return undefined;
  }

  integer(key: string): number | undefined {
    const value = this.get(key);
    if (value === undefined || value === null) return undefined;
    if (typeof value === "number" && Number.isSafeInteger(value)) return value;
    const hint =
      typeof value === "string" && /^-?\d+$/.test(value)
        ? `Write ${value}, without quotes.`
        : undefined;
    this.#reportType(key, value, "a whole number", hint);
    return undefined;
  }

  /** One of several texts. */
  choice<Choice extends string>(key: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.string(key);
    if (value === undefined) return undefined;
    const choice = choices.find((each) => each === value);
    if (choice === undefined)
      this.report(key, {
        code: "invalid_value",
        message: `${this.title(key)} must be ${joinOr(choices)}, not "${value}"`,
      });
    return choice;
  }

  list(key: string): readonly JsonValue[] | undefined {
    const value = this.get(key);
    if (value === undefined || value === null) return undefined;
    if (Array.isArray(value)) return value as readonly JsonValue[];
    this.#reportType(
      key,
      value,
      "a list",
      `Write ${key}: [${typeof value === "string" ? value : "a, b"}].`,
    );
    return undefined;
  }

  strings(key: string): readonly string[] | undefined {
    return this.list(key)?.filter((item, index): item is string => {
      if (typeof item === "string") return true;
      this.report([key, index], {
        code: "wrong_type",
        message: `${this.title(key)}[${index}] must be a text, not ${describe(item)}`,
      });
      return false;
    });
  }

  /** The map of a key. */
  fields(key: string, expected = "a map"): Fields | undefined {
    const value = this.get(key);
    if (value === undefined || value === null) return undefined;
    if (isObject(value)) return this.below([key], value, this.title(key));
    this.#reportType(key, value, expected);
    return undefined;
  }

  below(keys: ValuePath, values: JsonObject, title: string): Fields {
    const { findings, places } = this;
    return new Fields(values, places, { path: [...this.path, ...keys], findings, title });
  }

  /** Reports the keys that have no meaning, and returns their values. */
  unknown(known: readonly string[]): Record<string, JsonValue> {
    const unknown: Record<string, JsonValue> = {};
    for (const [key, value] of Object.entries(this.values)) {
      if (known.includes(key)) continue;
      Object.defineProperty(unknown, key, {
        value,
        configurable: true,
        enumerable: true,
        writable: true,
      });
      const [near] = nearNames(key, known, 1);
      this.reportKey(key, {
        code: "unknown_key",
        severity: "warning",
        message: `the key ${this.title(key)} has no meaning here`,
        hint: this.#hintForKey(near, known),
      });
    }
    return unknown;
  }

  reportType(key: string, value: JsonValue, expected: string, hint?: string): void {
    this.#reportType(key, value, expected, hint);
  }

  #hintForKey(near: string | undefined, known: readonly string[]): string {
    const elsewhere =
      this.#title === ""
        ? "Data of your own belongs under metadata."
        : `Known keys are ${joinAnd(known)}.`;
    return near === undefined ? elsewhere : `Did you mean ${near}? ${elsewhere}`;
  }

  #reportType(key: string, value: JsonValue, expected: string, hint?: string): void {
    this.report(key, {
      code: "wrong_type",
      message: `${this.title(key)} must be ${expected}, not ${describe(value)}`,
      ...(hint !== undefined && { hint }),
    });
  }

  #add(place: Place, { code, message, hint, severity = "error" }: Report): void {
    this.findings.push({
      ...place,
      code,
      severity,
      message,
      ...(hint !== undefined && { hint }),
    });
  }
}

/** A value in a message: its type, and the value if it is short. */
export function describe(value: JsonValue): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  const text = JSON.stringify(value);
  return text.length <= 40 ? text : `a text of ${[...String(value)].length} characters`;
}

/** `a, b and c`. */
function joinAnd(words: readonly string[]): string {
  return words.length < 2
    ? words.join("")
    : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;
}

/** `a, b or c`. */
export function joinOr(words: readonly string[]): string {
  return words.length < 2
    ? words.join("")
    : `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
}
