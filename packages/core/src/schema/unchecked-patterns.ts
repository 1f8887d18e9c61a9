import type { JsonSchema, JsonValue } from "../json/json.ts";
import { childPointer } from "../json/json-pointer.ts";
import { linearRegExp, UncheckablePattern } from "./pattern/linear-reg-exp.ts";
import { allowWork, workBudgets } from "./pattern/work-budget.ts";

/** A `pattern`, or a name in `patternProperties`, that values are not checked against. */
export interface UncheckedPattern {
  /** A JSON pointer to the schema that has it. */
  readonly path: string;
  readonly pattern: string;
}

/**
 * True for a regular expression that a text can be checked against in bounded time; false for one with back-references,
 * with thousands of states, or with syntax that ECMAScript does not have.
 */
export function isCheckablePattern(pattern: string): boolean {
  // No other schema is being compiled or checked: each of these has a budget of its own.
  allowWork(workBudgets.compile);
  try {
    linearRegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

/**
 * A schema without the patterns that nothing can check in bounded time, and which they are. It accepts all that the
 * original accepts: where a value must not match, or must match once, what holds such a pattern goes as a whole.
 */
export function withoutUncheckedPatterns(schema: JsonSchema): {
  readonly schema: JsonSchema;
  readonly unchecked: readonly UncheckedPattern[];
} {
  allowWork(workBudgets.compile);
  const weakening = new Weakening();
  return { schema: weakening.schema(schema, "") as JsonSchema, unchecked: weakening.unchecked };
}

const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
/** The keywords that may reject more when a part of them rejects less. */
const strict: ReadonlySet<string> = new Set([
  "not",
  "if",
  "then",
  "else",
  "maxContains",
  "unevaluatedProperties",
  "unevaluatedItems",
]);

class Weakening {
  readonly unchecked: UncheckedPattern[] = [];
  readonly #known = new Map<string, boolean>();

  schema(value: JsonValue, path: string): JsonValue {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      return value.map((item: JsonValue, index) => this.schema(item, `${path}/${index}`));
    }
    const node = value as JsonSchema;
    const { pattern, patternProperties, oneOf, anyOf, allOf } = node;
    const bad = Object.keys((patternProperties ?? {}) as object).filter((name) =>
      this.#isBad(name, path),
    );
    const left: Record<string, JsonValue> = {};
    for (const [keyword, member] of Object.entries(node)) {
      if (strict.has(keyword)) continue;
      if (keyword === "pattern" && typeof pattern === "string" && this.#isBad(pattern, path)) {
        continue;
      }
      if (keyword === "additionalProperties" && bad.length > 0) continue;
      if (keyword === "oneOf" && Array.isArray(oneOf)) continue;
      const at = childPointer(path, keyword);
      define(left, keyword, data.has(keyword) ? member : this.schema(member, at));
    }
    for (const name of bad) delete (left["patternProperties"] as Record<string, JsonValue>)[name];
    if (Array.isArray(oneOf)) {
      const open = this.schema(oneOf, `${path}/oneOf`);
      if (anyOf === undefined) left["anyOf"] = open;
      else left["allOf"] = [...((left["allOf"] ?? allOf ?? []) as JsonValue[]), { anyOf: open }];
    }
    return left;
  }

  #isBad(pattern: string, path: string): boolean {
    let isBad = this.#known.get(pattern);
    if (isBad === undefined) {
      isBad = isUncheckable(pattern);
      this.#known.set(pattern, isBad);
    }
    if (isBad) this.unchecked.push({ path, pattern });
    return isBad;
  }
}

function isUncheckable(pattern: string): boolean {
  try {
    linearRegExp(pattern, "u");
    return false;
  } catch (error) {
    return error instanceof UncheckablePattern;
  }
}

/** Names come from foreign schemas: `__proto__` must be a key like any other. */
function define(record: Record<string, JsonValue>, key: string, value: JsonValue): void {
  Object.defineProperty(record, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
