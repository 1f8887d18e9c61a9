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
