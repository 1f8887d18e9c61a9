import { sampleArguments, type ValueStyle } from "@toolweave/conformance";
import { ajvValidator, type JsonObject, type JsonSchema, type JsonValue } from "@toolweave/core";
import { canonicalJson } from "@toolweave/core/adapter";
import { isFault, parseJson } from "../../../src/json/parse-json.ts";
import { draftProblems } from "../../../src/form/model/problems.ts";
import { compactJson, fromValue, jsonText } from "../../../src/json/write-json.ts";
import { enterValue } from "./enter-value.ts";
import { countBelow, reenterValue } from "./reenter-value.ts";

const styles: readonly ValueStyle[] = ["least", "ordinary", "whole", "any"];
const validator = ajvValidator();

/** Generates arguments of each style that a schema accepts. */
export async function validArguments(
  schema: JsonSchema,
  seed: number,
  count: number,
): Promise<readonly JsonObject[]> {
  const check = await compiled(schema);
  return styles.flatMap((style) =>
    sampleArguments(schema, { style, seed, count: count * 4 })
      .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject)
      .filter((value) => check(value))
      .slice(0, count),
  );
}

async function compiled(schema: JsonSchema): Promise<(value: JsonValue) => boolean> {
  try {
    const check = await validator.compile(schema);
    return (value) => check(value) === undefined;
  } catch {
    return () => true;
  }
}

/**
 * Checks that a value is the same JSON after it was loaded into the form, after every field was entered again with what it
 * shows, and after it was entered field by field into an empty form; and that each part of it has a field.
 *
 * @returns what does not hold.
 */
export function roundTripFaults(schema: JsonSchema, value: JsonValue): readonly string[] {
  const root = { schema };
  const text = JSON.stringify(value);
  const loaded = parseJson(text);
  if (isFault(loaded)) return [`not JSON: ${loaded.message}`];
  const faults: string[] = [];
  if (compactJson(loaded) !== text) faults.push(`loaded: ${compactJson(loaded)}`);
  const { node, displayed, mismatches } = reenterValue(root, loaded);
  if (compactJson(node) !== text) faults.push(`entered again: ${compactJson(node)}`);
  if (jsonText(fromValue(value)) !== JSON.stringify(value, undefined, 2)) faults.push("JSON view");
  const count = 1 + countBelow(loaded);
  if (displayed !== count) faults.push(`${displayed} of ${count} values have a field`);
  if (mismatches.length > 0) faults.push(`not of the kind of the field: ${mismatches.join(" ")}`);
  try {
    const entered = enterValue(root, loaded).node;
    const drafts = draftProblems(entered);
    if (drafts.length > 0) faults.push(`drafts: ${drafts.map(({ pointer }) => pointer).join(" ")}`);
    else if (canonicalJson(JSON.parse(compactJson(entered))) !== canonicalJson(value)) {
      faults.push(`entered: ${compactJson(entered)}`);
    }
  } catch (error) {
    faults.push(`entered: ${String(error)}`);
  }
  return faults.map((fault) => `${fault}\n  value: ${text}`);
}
