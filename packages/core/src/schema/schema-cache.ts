import { isThenable, type Awaitable, type JsonSchema } from "../spec/json.ts";
import { ToolError } from "../tool-error.ts";
import { canonicalJson } from "./canonical-json.ts";
import type { CompiledSchema, SchemaValidator } from "./schema-validator.ts";

/** Compiles each schema once, on first use, however many tools share it or have one equal to it. */
export class SchemaCache {
  readonly #validator: SchemaValidator;
  readonly #byIdentity = new WeakMap<JsonSchema, CompiledSchema>();
  readonly #byContent = new Map<string, CompiledSchema>();

  constructor(validator: SchemaValidator) {
    this.#validator = validator;
  }

  /** How many different schemas were compiled. */
  get size(): number {
    return this.#byContent.size;
  }

  /**
   * The check for a schema. A promise only while the validator itself is being loaded.
   *
   * @throws ToolError `internal` when the schema is not valid.
   */
  get(schema: JsonSchema): Awaitable<CompiledSchema> {
    const known = this.#byIdentity.get(schema);
    if (known !== undefined) return known;
    const content = canonicalJson(schema);
    const equal = this.#byContent.get(content);
    if (equal !== undefined) return this.#keep(schema, content, equal);
    let compiling: Awaitable<CompiledSchema>;
    try {
      compiling = this.#validator.compile(schema);
    } catch (error) {
      throw invalidSchema(error);
    }
    if (!isThenable(compiling)) return this.#keep(schema, content, compiling);
    return compiling.then(
      (compiled) => this.#keep(schema, content, compiled),
      (error: unknown) => {
        throw invalidSchema(error);
      },
    );
  }

  #keep(schema: JsonSchema, content: string, compiled: CompiledSchema): CompiledSchema {
    this.#byIdentity.set(schema, compiled);
    this.#byContent.set(content, compiled);
    return compiled;
  }
}

function invalidSchema(error: unknown): ToolError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ToolError(
    "internal",
    `A schema of this tool is not valid JSON Schema (${reason.slice(0, 200)}); the host must correct it.`,
    { cause: error },
  );
}
