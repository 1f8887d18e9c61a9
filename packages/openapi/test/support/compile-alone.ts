import { Ajv2020, type Options } from "ajv/dist/2020.js";

export type Accepts = (value: unknown) => boolean;

/** A new Ajv compiles its meta schema first, which takes longer than most schemas. */
const shared = new Map<Options, Ajv2020>();

/**
 * Compiles a schema that refers to nothing else, with an instance of Ajv per options object. A schema
 * that fails there is compiled by a new instance, so that earlier schemas cannot be the reason.
 */
export function compileAlone(schema: object, options: Options): Accepts {
  const ajv = shared.get(options) ?? new Ajv2020(options);
  shared.set(options, ajv);
  try {
    return ajv.compile(schema) as Accepts;
  } catch {
    shared.delete(options);
    return new Ajv2020(options).compile(schema) as Accepts;
  } finally {
    ajv.removeSchema(schema);
  }
}
