import { type JsonObject, type JsonSchema, ajvValidator } from "@toolweave/core";
import {
  childPointer,
  findInvalidKeyword,
  getDialect,
  walkSubschemas,
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
