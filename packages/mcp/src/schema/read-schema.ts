import { ajvValidator, type JsonObject, type JsonSchema } from "@toolweave/core";
import {
  childPointer,
  findInvalidKeyword,
  getDialect,
  walkSubschemas,
  resolveReference,
  mapSubschemas,
} from "@toolweave/core/adapter";

/** Supported values of `$schema`; without one it is 2020-12, as in the protocol. */
const dialects =
  /^https?:\/\/json-schema\.org\/(?:schema|draft-0[4-7]\/schema|draft\/20(?:19-09|20-12)\/schema)#?$/;

/** Result of reading a valid schema. */
export interface ReadSchema {
  /** Unique patterns. */
  readonly patterns: ReadonlySet<string>;
}

/**
 * Reads a schema. Returns a text if values cannot be validated against it: an unknown dialect, or a keyword with an
 * invalid value, with its JSON pointer. For schemas within the budget.
 */
export function readSchema(schema: JsonSchema): ReadSchema | string {
  const { $schema } = schema;
  if ($schema !== undefined && !(typeof $schema === "string" && dialects.test($schema))) {
    return `has an unsupported dialect (${JSON.stringify($schema).slice(0, 100)})`;
  }
  const patterns = new Set<string>();
  const dialect = getDialect($schema);
  for (const { schema: part, pointer } of walkSubschemas(schema)) {
    const keyword = findInvalidKeyword(part, dialect)?.keyword;
    if (keyword !== undefined) {
      return `has an invalid value of ${keyword} at ${childPointer(pointer, keyword).slice(0, 200)}`;
    }
    const { pattern, patternProperties = {} } = part;
    if (pattern !== undefined) patterns.add(pattern as string);
    for (const name of Object.keys(patternProperties as JsonObject)) patterns.add(name);
  }
  return { patterns };
}

/** Milliseconds for the patterns of one list; the executor checks the rest when they are used. */
const maxMs = 500;

/** `invalid`: not a regular expression. `unbounded`: values are not checked against it. */
type PatternFault = "invalid" | "unbounded";

/**
 * Finds patterns that are invalid or cannot be checked in bounded time (see `ajvValidator`). Each is checked once;
 * those not reached in time count as valid.
 */
export class PatternFaults {
  readonly #known = new Map<string, PatternFault | undefined>();
  readonly #validator = ajvValidator();
  #spentMs = 0;

  /** Returns the faults of the patterns, by pattern. */
  async findFaults(patterns: Iterable<string>): Promise<ReadonlyMap<string, PatternFault>> {
    const faults = new Map<string, PatternFault>();
    for (const pattern of patterns) {
      if (!this.#known.has(pattern) && this.#spentMs <= maxMs) {
        const startedAt = performance.now();
        this.#known.set(pattern, await this.#check(pattern));
        this.#spentMs += performance.now() - startedAt;
      }
      const fault = this.#known.get(pattern);
      if (fault !== undefined) faults.set(pattern, fault);
    }
    return faults;
  }

  async #check(pattern: string): Promise<PatternFault | undefined> {
    try {
      const { unchecked } = await this.#validator.compile({ pattern });
      return unchecked === undefined ? undefined : "unbounded";
    } catch {
      return "invalid";
    }
  }
}

/** Maximum number of parts of a schema that are searched; beyond it the executor's own limits apply. */
const maxParts = 100_000;

/**
 * Finds a reference of the schema that leads outside of it, or nowhere; `undefined`: there is none. Remote references
 * of a server's schemas are never fetched.
 */
export function findMissingReference(schema: JsonSchema): string | undefined {
  const references: string[] = [];
  const names = new Set<string>();
  for (const { schema: part } of walkSubschemas(schema, maxParts, true)) {
    const { $ref, $dynamicRef, $id, $anchor, $dynamicAnchor } = part;
    for (const reference of [$ref, $dynamicRef]) {
      if (typeof reference === "string") references.push(reference);
    }
    if (typeof $id === "string") names.add($id);
    for (const anchor of [$anchor, $dynamicAnchor]) {
      if (typeof anchor === "string") names.add(`#${anchor}`);
    }
  }
  return references.find(
    (reference) => !names.has(reference) && resolveReference(schema, reference) === undefined,
  );
}

/** Limits of a definition, far above any real one. */
const maxLevels = 400;
const maxValues = 100_000;
const maxCharacters = 2_000_000;

/** Size of a definition, or the limit that it exceeds. */
type Measured = { readonly characters: number } | { readonly fault: string };

/**
 * Measures a definition of a server before anything else processes it. A definition that is too deep or too large to
 * be processed in bounded time has a `fault`.
 */
export function measureDefinition(definition: unknown): Measured {
  let values = 0;
  let characters = 0;
  const parts: { readonly value: unknown; readonly level: number }[] = [
    { value: definition, level: 0 },
  ];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const { value, level } = part;
    values += 1;
    if (typeof value === "string") characters += value.length;
    if (values > maxValues) return { fault: `it has more than ${maxValues} values` };
    if (characters > maxCharacters) {
      return { fault: `it has more than ${maxCharacters} characters` };
    }
    if (typeof value !== "object" || value === null) continue;
    if (level > maxLevels) return { fault: `it is nested deeper than ${maxLevels} levels` };
    for (const [key, member] of Object.entries(value)) {
      characters += key.length;
      parts.push({ value: member, level: level + 1 });
    }
  }
  return { characters };
}

/** Keywords with texts for a reader. */
const textKeywords = ["title", "description", "$comment"];

/**
 * Copies a schema and sanitizes each title, description and comment, in the keywords of 2020-12 and draft-07.
 * Everything that affects validation stays unchanged: names of properties, `enum`, `const`, `pattern`, `default`.
 */
export function sanitizeSchema(schema: JsonSchema, sanitize: (text: string) => string): JsonSchema {
  const texts = textKeywords.flatMap((keyword): readonly [string, string][] => {
    const text = schema[keyword];
    return typeof text === "string" ? [[keyword, sanitize(text)]] : [];
  });
  const below = mapSubschemas(schema, (part) =>
    typeof part === "boolean" ? part : sanitizeSchema(part, sanitize),
  );
  return texts.length === 0 ? below : { ...below, ...Object.fromEntries(texts) };
}
