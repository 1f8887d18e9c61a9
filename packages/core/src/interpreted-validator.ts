import {
  format,
  schemaArrayKeyword,
  schemaKeyword,
  Validator,
  type Schema,
  type SchemaDraft,
} from "@cfworker/json-schema";
import { adaptDialect } from "./schema/adapt-dialect.ts";
import { duplicateItems } from "./schema/duplicate-items.ts";
import { isNativePattern, linearRegExp } from "./schema/pattern/linear-reg-exp.ts";
import {
  measureSchema,
  type CompiledSchema,
  type SchemaValidator,
} from "./schema/schema-validator.ts";
import {
  allowWork,
  isExceeded,
  spend,
  unchecked,
  workBudgets,
} from "./schema/pattern/work-budget.ts";
import { isObject, type JsonSchema, type JsonValue } from "./json/json.ts";
import { getDialect, mapKeywords } from "./json-schema/keywords.ts";
import { dataKeywords } from "./json-schema/subschemas.ts";

/** A validator that compiles at once. */
export interface InterpretedValidator extends SchemaValidator {
  /** Throws when the schema is not valid, or can't be used in bounded time. */
  compile(schema: JsonSchema): CompiledSchema;
}

/**
 * A validator that generates no code, for Workers and wherever a content security policy forbids
 * `eval`. Slower per call than the default, and bounded as it is. Needs the package
 * `@cfworker/json-schema` beside core.
 *
 * It refuses a few schemas that the default one takes: those with a `$dynamicAnchor` that stands twice.
 */
export function interpretedValidator(): InterpretedValidator {
  return {
    compile(schema) {
      const { $schema } = schema;
      const draft = toDraft($schema);
      const anchors = draft === "2020-12" ? new Set<string>() : undefined;
      const run: Run = { anchors, formats: {}, data: undefined, repeats: undefined };
      const validator = new Validator(adaptSchema(schema, $schema, run), draft, false);
      return (value) => {
        allowWork(workBudgets.check);
        run.data = value;
        run.repeats = undefined;
        // The library's table, which others use, too: registered for the time of the check only.
        Object.assign(format, run.formats);
        try {
          const { valid, errors } = validator.validate(accounted(value));
          if (valid) return undefined;
          const leaves = errors.filter(
            ({ keyword }) => !["properties", "items", "$ref", "allOf"].includes(keyword),
          );
          return (leaves.length > 0 ? leaves : errors).map(({ instanceLocation, error }) => ({
            path: instanceLocation.replace(/^#/, ""),
            message: error,
          }));
        } catch (error) {
          if (isExceeded(error)) return unchecked;
          throw error;
        } finally {
          run.data = undefined;
          for (const name in run.formats) delete format[name];
        }
      };
    },
  };
}

/** The data to which the copy of a schema refers while a value is checked. */
interface Run {
  /** Dynamic anchors of the schema, in the draft that has them. */
  readonly anchors: Set<string> | undefined;
  /** Checks of texts, which the library calls by name. */
  readonly formats: Record<string, (text: string) => boolean>;
  data: unknown;
  /** Whether any array of the data has equal items; computed at the first use. */
  repeats: boolean | undefined;
}

/** An annotation, as it is for the default validator, and what the copy does in its own way. */
const replaced: Readonly<Record<string, string>> = {
  format: "string",
  pattern: "string",
  uniqueItems: "boolean",
};

/** The library writes into the schemas it is given: it gets one of its own. */
function adaptSchema(schema: JsonSchema, $schema: unknown, run: Run): Schema {
  measureSchema(schema);
  allowWork(workBudgets.compile);
  try {
    return adapted(adaptDialect(schema, $schema), run, true) as Schema;
  } catch (error) {
    if (isExceeded(error)) throw new Error("schema is too large to compile", { cause: error });
    throw error;
  }
}

/**
 * A copy of a schema that does no more work than is allowed: patterns are matched by the engine of the default
 * validator, and every visit of a part is accounted for.
 *
 * @param certain the value is a schema; otherwise it may be one, below an unknown keyword, and its errors do not matter
 * before it is visited.
 */
function adapted(schema: JsonValue, run: Run, certain: boolean): JsonValue {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((part) => adapted(part, run, certain));
  const node = schema as JsonSchema;
  const own: Record<string, JsonValue> = withMembers(node, (keyword, value) => {
    if (Object.hasOwn(replaced, keyword) && typeof value === replaced[keyword]) return undefined;
    if (dataKeywords.has(keyword)) return structuredClone(value);
    if (mapKeywords.has(keyword) && isObject(value)) {
      return withMembers(value, (_, member) => adapted(member, run, certain));
    }
    const known =
      Object.hasOwn(schemaKeyword, keyword) || Object.hasOwn(schemaArrayKeyword, keyword);
    return adapted(value, run, certain && known);
  });
  const units = computeCost(node);
  let name: string | undefined;
  let unusable: unknown;
  try {
    replacePatternProperties(own, run);
    if (run.anchors !== undefined) makeStatic(own, run.anchors);
    name = registerFormat(node, run);
  } catch (error) {
    if (certain) throw error;
    unusable = error;
  }
  Object.defineProperty(own, "format", {
    get() {
      if (unusable !== undefined) throw unusable;
      spend(units);
      return name;
    },
  });
  if (node["uniqueItems"] === true) {
    // The library compares every item with every other, which is in vain where none are equal.
    Object.defineProperty(own, "uniqueItems", {
      get: () => (run.repeats ??= hasRepeats(run.data)),
    });
  }
  return own;
}

/** The library knows no dynamic references. Where an anchor is the only one, they are plain ones. */
function makeStatic(own: Record<string, JsonValue>, anchors: Set<string>): void {
  const { $dynamicRef, $dynamicAnchor, allOf } = own;
  if (typeof $dynamicRef === "string") {
    own["allOf"] = [...(Array.isArray(allOf) ? allOf : []), { $ref: $dynamicRef }];
  }
  if (typeof $dynamicAnchor !== "string") return;
  if (anchors.has($dynamicAnchor)) {
    throw new Error(
      `$dynamicAnchor "${$dynamicAnchor}" stands twice, which this validator cannot do`,
    );
  }
  anchors.add($dynamicAnchor);
  own["$anchor"] = $dynamicAnchor;
}

/**
 * The library makes expressions of the names in `patternProperties` itself, with the `u` flag and the native engine. One
 * that may take more than linear time, or is valid without the flag only, is replaced by the names in the data that it
 * matches.
 */
function replacePatternProperties(own: Record<string, JsonValue>, run: Run): void {
  const { patternProperties } = own;
  if (!isObject(patternProperties)) return;
  const matchers = Object.keys(patternProperties)
    .filter((pattern) => !isNativePattern(pattern))
    .map((pattern) => [pattern, linearRegExp(pattern, "u")] as const);
  if (matchers.length === 0) return;
  let known: { readonly data: unknown; readonly patterns: JsonSchema } | undefined;
  Object.defineProperty(own, "patternProperties", {
    enumerable: true,
    get() {
      // The library also reads the schema before there are data.
      if (run.data === undefined) return patternProperties;
      if (known?.data === run.data) return known.patterns;
      const names = collectNames(run.data);
      const native = Object.entries(patternProperties).filter(([pattern]) =>
        isNativePattern(pattern),
      );
      const patterns = new Map<string, JsonValue>(native);
      for (const [pattern, matcher] of matchers) {
        const matched = [...names].filter((name) => (spend(name.length * 3), matcher.test(name)));
        if (matched.length === 0) continue;
        // Each name is compared with each of these.
        spend(names.size * matched.length);
        let written = `^(?:${matched.map(escapeName).join("|")})$`;
        while (patterns.has(written)) written = `(?:${written})`;
        patterns.set(written, patternProperties[pattern] as JsonValue);
      }
      known = { data: run.data, patterns: Object.fromEntries(patterns) };
      return known.patterns;
    },
  });
}

function escapeName(name: string): string {
  return name.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`);
}

/** The names of all properties in a value. */
function collectNames(value: unknown, names: Set<string> = new Set()): ReadonlySet<string> {
  if (typeof value !== "object" || value === null) return names;
  if (!Array.isArray(value)) for (const name of Object.keys(value)) names.add(name);
  for (const member of Object.values(value)) collectNames(member, names);
  return names;
}

function registerFormat(node: JsonSchema, run: Run): string | undefined {
  const { pattern } = node;
  if (typeof pattern === "string") {
    const name = `pattern ${pattern}`;
    const expression = linearRegExp(pattern, "u");
    run.formats[name] ??= (text) => {
      spend(text.length * 3);
      return expression.test(text);
    };
    return name;
  }
  if (node["minLength"] === undefined && node["maxLength"] === undefined) return undefined;
  const name = "any text";
  run.formats[name] ??= (text) => {
    spend(text.length * 3);
    return true;
  };
  return name;
}

/** The maximum cost of one visit, beside that of the data read. */
function computeCost(node: JsonSchema): number {
  let units = 500;
  for (const [keyword, value] of Object.entries(node)) {
    if (keyword === "const" || keyword === "enum") units += JSON.stringify(value).length * 4;
    else if (typeof value === "object" && value !== null) {
      units += Object.keys(value).length * (keyword === "required" ? 300 : 100);
    }
  }
  return units;
}

/** A copy of the data that accounts for being read: the library's loops have no end of their own. */
function accounted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return new Proxy(value.map(accounted), reading);
  const members = Object.entries(value).map(([key, member]) => [key, accounted(member)]);
  return new Proxy(Object.fromEntries(members) as object, reading);
}

const reading: ProxyHandler<object> = {
  get(target, key) {
    spend(50);
    return Reflect.get(target, key) as unknown;
  },
  ownKeys(target) {
    const keys = Reflect.ownKeys(target);
    spend(keys.length * 300);
    return keys;
  },
};

function hasRepeats(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value) && duplicateItems(value) !== undefined) return true;
  return Object.values(value).some(hasRepeats);
}

function withMembers(
  object: JsonSchema,
  change: (key: string, value: JsonValue) => JsonValue | undefined,
): JsonSchema {
  const members = Object.entries(object).map(([key, value]) => [key, change(key, value)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as JsonSchema;
}

/** Schemas of earlier drafts are written in draft-07. */
function toDraft($schema: unknown): SchemaDraft {
  const dialect = getDialect($schema);
  return dialect === "2019-09" || dialect === "2020-12" ? dialect : "7";
}
