import { sampleArguments, type ValueStyle } from "@toolweave/conformance";
import { ajvValidator, type JsonObject, type JsonSchema, type JsonValue } from "@toolweave/core";
import type { CompiledSchema } from "@toolweave/core/adapter";

/** The arguments of a call: only the required ones, or everything that the schema names. */
export type Variant = "required" | "all";

/** Both, in the order in which they are made. */
export const variants: readonly Variant[] = ["required", "all"];

const styles: Readonly<Record<Variant, ValueStyle>> = { required: "least", all: "whole" };

/** Most schemas accept the first draw. */
const draws = 60;

const validator = ajvValidator();

/** Arguments, and the names of those for which no accepted value was found. */
export interface SampleCall {
  readonly args: JsonObject;
  readonly missing: readonly string[];
}

/**
 * Arguments that an input schema accepts; undefined if none were found. The same seed returns the
 * same ones.
 *
 * If a schema allows another value, no argument is `null`, `[]` or `{}`: outside JSON these are not
 * sent (RFC 6570 section 2.3), and an oracle reports them as missing.
 */
export async function sampleCall(
  schema: JsonSchema,
  variant: Variant,
  seed: number,
): Promise<SampleCall | undefined> {
  const check = await compileCheck(schema);
  const first = firstAccepted(schema, variant, seed, check);
  const base = first ?? firstAccepted(schema, "required", seed, check);
  return base === undefined ? undefined : filled(schema, base, variant, seed, check);
}

/**
 * A schema that cannot be compiled does not prevent the generation: the call then has the result.
 */
async function compileCheck(schema: JsonSchema): Promise<CompiledSchema> {
  try {
    return await validator.compile(schema);
  } catch {
    return () => undefined;
  }
}

function firstAccepted(
  schema: JsonSchema,
  variant: Variant,
  seed: number,
  check: CompiledSchema,
): JsonObject | undefined {
  const style = styles[variant];
  const accepts = (args: JsonObject): boolean => check(args) === undefined;
  const [first] = sampleArguments(schema, { style, seed, count: 1 });
  if (first !== undefined && accepts(first)) return first;
  return sampleArguments(schema, { style, seed, count: draws }).find(accepts);
}

/** Adds and replaces one argument after the other, as long as the schema accepts the result. */
function filled(
  schema: JsonSchema,
  base: JsonObject,
  variant: Variant,
  seed: number,
  check: CompiledSchema,
): SampleCall {
  const named = Object.keys((schema["properties"] ?? {}) as JsonObject);
  const wanted = variant === "all" ? named : Object.keys(base);
  const poor = wanted.filter((name) => !Object.hasOwn(base, name) || isBare(base[name]));
  if (poor.length === 0) return { args: base, missing: [] };
  const candidates = [
    ...sampleArguments(schema, { style: "whole", seed, count: draws }),
    ...sampleArguments(schema, { style: "ordinary", seed, count: draws }),
    ...sampleArguments({ ...schema, required: named }, { style: "least", seed, count: draws }),
  ];
  let args = base;
  for (const name of poor) {
    const values = candidates.filter((one) => Object.hasOwn(one, name)).map((one) => one[name]);
    const better = [...values.filter((value) => !isBare(value)), ...values]
      .map((value): JsonObject => ({ ...args, [name]: value as JsonValue }))
      .find((added) => check(added) === undefined);
    if (better !== undefined) args = better;
  }
  return { args, missing: wanted.filter((name) => !Object.hasOwn(args, name)) };
}

function isBare(value: JsonValue | undefined): boolean {
  return value === undefined || isEmpty(value) || hasEmptyItems(value);
}

function isEmpty(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === null || (typeof value === "object" && Object.values(value).every(isEmpty));
}

/** A list that is empty at some level, or contains an empty value. */
function hasEmptyItems(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value) && (value.length === 0 || value.some(isEmpty))) return true;
  return Object.values(value).some((member: JsonValue) => hasEmptyItems(member));
}

/** `TOOLWEAVE_SEED`, or 1. */
export function defaultSeed(): number {
  return Number(process.env["TOOLWEAVE_SEED"] ?? 1);
}
