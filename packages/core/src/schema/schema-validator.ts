import type { Awaitable, JsonSchema } from "../spec/json.ts";
import type { ValidationProblem } from "../spec/tool.ts";

/** Checks one value: `undefined` when it fits, else what is wrong. */
export type CompiledSchema = (value: unknown) => readonly ValidationProblem[] | undefined;

/** Turns JSON Schemas into checks: 2020-12, or what `$schema` names. */
export interface SchemaValidator {
  /** Rejects or throws when the schema itself is not valid. */
  compile(schema: JsonSchema): Awaitable<CompiledSchema>;
}
