import type { JsonValue } from "@toolweave/core";
import type { ArgumentLayout } from "../../arguments/argument-layout.ts";
import type { SelfContainedSchema } from "../../document/operation.ts";
import { resolveSchema, getSchemaTypes } from "../../schema/resolve-schema.ts";

/** An argument that takes one string, number or boolean. */
export interface PageArgument {
  readonly argument: string;
  readonly required: boolean;
  /** JSON Schema types; empty: any. */
  readonly types: readonly string[];
}

/** The arguments that can request another page, by their names on the wire. */
export interface PageArguments {
  readonly query: ReadonlyMap<string, PageArgument>;
  /** The arguments of the query, and the properties of a body. */
  readonly all: ReadonlyMap<string, PageArgument>;
}

const scalars = new Set(["string", "integer", "number", "boolean", "null"]);

/** Usual names of arguments that request another page. */
const pageName = /page|cursor|offset|after|token|start|skip|from|marker|next/i;

/** Finds the arguments of an operation that can request another page; `undefined`: there are none. */
export function findPageArguments({ parameters, body }: ArgumentLayout): PageArguments | undefined {
  const query = new Map<string, PageArgument>();
  for (const { argument, parameter } of parameters) {
    if (parameter.in !== "query" || parameter.mediaType !== undefined) continue;
    const types = getScalarTypes(parameter.schema);
    if (types === undefined) continue;
    query.set(parameter.name, { argument, required: parameter.required, types });
  }
  const all = new Map(query);
  const defs = body?.media.schema.defs ?? new Map();
  for (const { argument, property, schema, required } of body?.properties ?? []) {
    const types = getScalarTypes({ schema, defs });
    if (types !== undefined && !all.has(property)) all.set(property, { argument, required, types });
  }
  return [...all.keys()].some(isPageName) ? { query, all } : undefined;
}

/** Returns true for a usual name of an argument that requests another page. */
export function isPageName(name: string): boolean {
  return pageName.test(name);
}

/** Converts a value of an answer to the type of the argument; `undefined`: the argument cannot take it. */
export function toPageValue(
  said: string | number,
  { types }: Pick<PageArgument, "types">,
): string | number | undefined {
  const isNumeric = types.includes("integer") || types.includes("number");
  if (isNumeric && (typeof said === "number" || /^-?\d{1,15}$/.test(said))) return Number(said);
  // The digits of an integer that no number holds are accepted as a text.
  if (isNumeric && /^-?[1-9]\d+$/.test(String(said)))
    return Number.isSafeInteger(Number(said)) ? Number(said) : String(said);
  return types.length === 0 || types.includes("string") ? String(said) : undefined;
}

/** Returns true for a value that can be sent as a page or a cursor. */
export function isPageValue(value: JsonValue | undefined): value is string | number {
  return (typeof value === "string" && value !== "") || Number.isSafeInteger(value);
}

function getScalarTypes({ schema, defs }: SelfContainedSchema): readonly string[] | undefined {
  const resolved = resolveSchema(schema, defs);
  const types = getSchemaTypes(resolved);
  return types.every((type) => scalars.has(type)) ? types : undefined;
}
