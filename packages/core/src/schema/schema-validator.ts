import type { Awaitable, JsonSchema } from "../json/json.ts";
import type { UncheckedPattern } from "./unchecked-patterns.ts";
import type { ValidationProblem } from "../contract/tool.ts";

/** Checks one value. */
export interface CompiledSchema {
  /** `undefined` when it fits, else what is wrong. */
  (value: unknown): readonly ValidationProblem[] | undefined;
  /** Patterns of the schema that nothing can check in bounded time, and that values are not checked against. */
  readonly unchecked?: readonly UncheckedPattern[];
}

/**
 * Compiles JSON Schemas to checks: 2020-12, or the dialect that `$schema` names. Schemas and values are foreign:
 * neither compiling nor checking may take more than a moment, whatever they contain.
 */
export interface SchemaValidator {
  /** Rejects or throws when the schema is not valid, or can't be used in bounded time. */
  compile(schema: JsonSchema): Awaitable<CompiledSchema>;
}

/** How deep a schema may nest: a schema in `properties` is two deeper. */
const maxDepth = 400;
/** Objects, arrays and other values. Large schemas of real services have 20,000. */
const maxValues = 200_000;
/** For all texts, and the paths to all values with the `$id`s on their way. */
const maxCharacters = 10_000_000;
/** Ajv makes one condition of all patterns of an object, in time by the square of their number. */
const maxPatterns = 500;

/**
 * The keywords that depend on evaluated properties, and the names under which parts of the dialect's own schema refer
 * to them.
 */
const asking = new Set([
  "unevaluatedProperties",
  "unevaluatedItems",
  "$dynamicAnchor",
  "$recursiveAnchor",
]);

/**
 * Measures a schema before it is compiled.
 *
 * @throws Error when it is too large or too deep to be examined in bounded time.
 */
export function measureSchema(schema: JsonSchema): { readonly asksWhatIsEvaluated: boolean } {
  let values = 0;
  let characters = 0;
  let asksWhatIsEvaluated = false;
  const walk = (value: unknown, depth: number, path: number): void => {
    values += 1;
    characters += path + (typeof value === "string" ? value.length : 0);
    if (values > maxValues || characters > maxCharacters) throw new Error("schema is too large");
    if (typeof value !== "object" || value === null) return;
    if (depth > maxDepth) throw new Error(`schema nests deeper than ${maxDepth} levels`);
    const node = value as Readonly<Record<string, unknown>>;
    const base = node["$id"] ?? node["id"];
    const at = path + 1 + (typeof base === "string" ? base.length : 0);
    for (const key of Object.keys(node)) {
      if (asking.has(key)) asksWhatIsEvaluated = true;
      const member = node[key];
      if (key === "patternProperties" && Object.keys(Object(member)).length > maxPatterns) {
        throw new Error(`patternProperties has more than ${maxPatterns} patterns`);
      }
      walk(member, depth + 1, at + key.length);
    }
  };
  walk(schema, 0, 0);
  return { asksWhatIsEvaluated };
}
