import { ajvValidator, type JsonSchema, type JsonValue } from "@toolweave/core";
import type { CompiledSchema } from "@toolweave/core/adapter";

/** Says whether a value is valid for a schema, as the executor's validator does. */
export async function acceptor(): Promise<(value: JsonValue, schema: JsonSchema) => boolean> {
  const validator = ajvValidator();
  // Loaded once: what is compiled afterwards is there at once.
  await validator.compile({});
  const known = new Map<string, CompiledSchema>();
  return (value, schema) => {
    const key = JSON.stringify(schema);
    let check = known.get(key);
    if (check === undefined) known.set(key, (check = validator.compile(schema) as CompiledSchema));
    return check(value) === undefined;
  };
}
