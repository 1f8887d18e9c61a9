import { ajvValidator, type JsonSchema, type JsonValue } from "@toolweave/core";
import type { CompiledSchema } from "@toolweave/core/adapter";

const validator = ajvValidator();
const compiled = new WeakMap<JsonSchema, Promise<CompiledSchema>>();

/** The answer of a model as JSON, or the problem with it. */
export type ReadOutput =
  | { readonly value: JsonValue; readonly problem?: undefined }
  | { readonly problem: string };

/** Reads an answer that has to keep `schema`. Rejects for a schema that cannot be used. */
export async function readOutput(schema: JsonSchema, text: string): Promise<ReadOutput> {
  let check = compiled.get(schema);
  if (check === undefined) {
    check = Promise.resolve(validator.compile(schema));
    compiled.set(schema, check);
  }
  const isFit = await check;
  let value: JsonValue;
  try {
    value = JSON.parse(unfenced(text)) as JsonValue;
  } catch {
    return { problem: "it is no JSON" };
  }
  const [problem] = isFit(value) ?? [];
  if (problem === undefined) return { value };
  return { problem: `${problem.path === "" ? "it" : problem.path} ${problem.message}` };
}

/** Models that know no JSON mode put it between fences. */
function unfenced(text: string): string {
  const trimmed = text.trim();
  const isFenced = trimmed.length >= 6 && trimmed.startsWith("```") && trimmed.endsWith("```");
  // One pattern for all of it would take a time that grows with the cube of a run of spaces.
  return isFenced ? trimmed.slice(3, -3).replace(/^json/i, "").trim() : trimmed;
}
