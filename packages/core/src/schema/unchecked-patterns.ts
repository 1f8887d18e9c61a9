import type { JsonSchema, JsonValue } from "../json/json.ts";
import { mapSubschemas, stepPointer } from "../json-schema/subschemas.ts";
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
  return { schema: weakening.schema(schema, ""), unchecked: weakening.unchecked };
}

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

  schema(node: JsonSchema, path: string): JsonSchema {
    const { pattern, patternProperties } = node;
    const bad = Object.keys((patternProperties ?? {}) as object).filter((name) =>
      this.#isBad(name, path),
    );
    const removed = new Set(strict);
    if (typeof pattern === "string" && this.#isBad(pattern, path)) removed.add("pattern");
    if (bad.length > 0) removed.add("additionalProperties");
    const weaker = mapSubschemas(
      Object.fromEntries(Object.entries(node).filter(([keyword]) => !removed.has(keyword))),
      (sub, step) => {
        const [keyword, name] = step;
        if (keyword === "patternProperties" && bad.includes(name as string)) return undefined;
        return typeof sub === "boolean" ? sub : this.schema(sub, stepPointer(path, step));
      },
      true,
    );
    const { oneOf: open, ...rest } = weaker;
    if (!Array.isArray(open)) return weaker;
    const { anyOf, allOf = [] } = rest;
    return anyOf === undefined
      ? { ...rest, anyOf: open }
      : { ...rest, allOf: [...(allOf as readonly JsonValue[]), { anyOf: open }] };
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
