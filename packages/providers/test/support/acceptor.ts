import { ajvValidator, type JsonSchema, type JsonValue } from "@toolweave/core";
import type { CompiledSchema } from "@toolweave/core/adapter";

/** Returns whether a value is valid for a schema, by the executor's validator. */
export async function acceptor(): Promise<(value: JsonValue, schema: JsonSchema) => boolean> {
  const validator = ajvValidator();
  // Loaded once, so that later compilations need no wait.
  await validator.compile({});
  const known = new Map<string, CompiledSchema>();
  return (value, schema) => {
    const key = JSON.stringify(schema);
    let check = known.get(key);
    if (check === undefined) known.set(key, (check = validator.compile(schema) as CompiledSchema));
    return check(value) === undefined;
  };
}
