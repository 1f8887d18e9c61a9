import { isThenable, type Awaitable, type JsonSchema } from "../json/json.ts";
import { ToolError } from "../contract/tool-error.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import type { CompiledSchema, SchemaValidator } from "./schema-validator.ts";

/** The number of schemas whose check is cached for equal ones. A schema that is still referenced keeps its own. */
const maxShared = 1000;

/** Characters of a schema's JSON, of which a compiled one has ten million at most. */
const maxSchemaLength = 20_000_000;

/** Compiles each schema once, on first use, however many tools share it or have one equal to it. */
export class SchemaCache {
  readonly #validator: SchemaValidator;
  readonly #byIdentity = new WeakMap<JsonSchema, CompiledSchema | ToolError>();
  readonly #triedOnce = new WeakSet<JsonSchema>();
  readonly #byContent = new Map<string, Awaitable<CompiledSchema>>();

  constructor(validator: SchemaValidator) {
    this.#validator = validator;
  }

  /**
   * The check for a schema. A promise only while the validator itself is being loaded.
   *
   * @throws ToolError `invalid_configuration` when the schema is not valid.
   */
  get(schema: JsonSchema): Awaitable<CompiledSchema> {
    const known = this.#byIdentity.get(schema);
    if (typeof known === "function") return known;
    if (known !== undefined) throw known;
    return this.#find(schema);
  }

  #find(schema: JsonSchema): Awaitable<CompiledSchema> {
    let compiling: Awaitable<CompiledSchema>;
    try {
      const content = canonicalJson(schema, maxSchemaLength);
      compiling = this.#shared(content) ?? this.#compile(schema, content);
    } catch (error) {
      const invalid = invalidSchema(error);
      // To find that out may have taken its time; a stack that was full may be empty next time.
      if (isOfStack(error) && !this.#triedOnce.has(schema)) this.#triedOnce.add(schema);
      else this.#byIdentity.set(schema, invalid);
      throw invalid;
    }
    const keep = (compiled: CompiledSchema): CompiledSchema => {
      this.#byIdentity.set(schema, compiled);
      return compiled;
    };
    return isThenable(compiling) ? compiling.then(keep) : keep(compiling);
  }

  #compile(schema: JsonSchema, content: string): Awaitable<CompiledSchema> {
    const compiling = this.#validator.compile(schema);
    if (!isThenable(compiling)) return this.#share(content, compiling);
    // Cached while it is in progress, too: later callers wait for the same compilation.
    const shared = compiling.then(
      (compiled) => this.#share(content, compiled),
      (error: unknown) => {
        this.#byContent.delete(content);
        throw invalidSchema(error);
      },
    );
    return this.#share(content, shared);
  }

  /** The one that was asked for last is the last to go. */
  #shared(content: string): Awaitable<CompiledSchema> | undefined {
    const known = this.#byContent.get(content);
    return known === undefined ? undefined : this.#share(content, known);
  }

  #share<Known extends Awaitable<CompiledSchema>>(content: string, known: Known): Known {
    this.#byContent.delete(content);
    this.#byContent.set(content, known);
    if (this.#byContent.size > maxShared) {
      const [oldest] = this.#byContent.keys();
      this.#byContent.delete(oldest as string);
    }
    return known;
  }
}

function isOfStack(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof RangeError;
}

function invalidSchema(error: unknown): ToolError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ToolError(
    "invalid_configuration",
    `A schema of this tool is not valid JSON Schema (${reason.slice(0, 200)}); the host must correct it.`,
    { cause: error },
  );
}
