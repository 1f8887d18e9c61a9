import { References } from "./references.ts";
import { ajvValidator, type JsonObject } from "@toolweave/core";
import {
  canonicalJson,
  isThenable,
  type CompiledSchema,
  type SchemaValidator,
} from "@toolweave/core/adapter";

const ajv = ajvValidator();
const compiled = new Map<string, CompiledSchema>();

/**
 * The default validator with a cache for all rules and seeds: the kit creates hundreds of executors
 * for the same tools, and compiles each schema once.
 */
export const sharedValidator: SchemaValidator = {
  compile(schema) {
    const content = canonicalJson(schema);
    const known = compiled.get(content);
    if (known !== undefined) return known;
    const keep = (check: CompiledSchema): CompiledSchema => {
      compiled.set(content, check);
      return check;
    };
    const compiling = ajv.compile(schema);
    return isThenable(compiling) ? compiling.then(keep) : keep(compiling);
  },
};

/** Compiles a schema; `undefined` if it cannot be used, which other rules report. */
export async function compileSchema(schema: JsonObject): Promise<CompiledSchema | undefined> {
  if (new References(schema).findDangling().length > 0) return undefined;
  try {
    return await sharedValidator.compile(schema);
  } catch {
    return undefined;
  }
}
