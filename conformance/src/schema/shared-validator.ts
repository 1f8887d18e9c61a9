import {
  ajvValidator,
  canonicalJson,
  isThenable,
  type CompiledSchema,
  type SchemaValidator,
} from "@toolweave/core";

const ajv = ajvValidator();
const compiled = new Map<string, CompiledSchema>();

/**
 * The default validator, kept over all rules and seeds: a kit that runs hundreds of executors over
 * the same tools compiles each schema once.
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
