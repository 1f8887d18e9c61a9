import type { JsonValue } from "@toolweave/core";
import type { ArgumentLayout } from "../../arguments/argument-layout.ts";
import type { SelfContainedSchema } from "../../document/operation.ts";
import { resolveSchema, schemaTypes } from "../../schema/resolve-schema.ts";

/** An argument that takes one text, number or truth value. */
export interface PageArgument {
  readonly argument: string;
  readonly required: boolean;
  /** Of JSON Schema; empty: any. */
  readonly types: readonly string[];
}

/** The arguments that can ask for another page, by the names they have on the wire. */
export interface PageArguments {
  readonly query: ReadonlyMap<string, PageArgument>;
  /** Those of the query, and the properties of a body. */
  readonly all: ReadonlyMap<string, PageArgument>;
}

const scalars = new Set(["string", "integer", "number", "boolean", "null"]);

/** Names, as APIs choose them, of what asks for another page. */
const pageName = /page|cursor|offset|after|token|start|skip|from|marker|next/i;

/** Finds the arguments of an operation that can ask for another page; `undefined`: there are none. */
export function pageArguments({ parameters, body }: ArgumentLayout): PageArguments | undefined {
  const query = new Map<string, PageArgument>();
  for (const { argument, parameter } of parameters) {
    if (parameter.in !== "query" || parameter.mediaType !== undefined) continue;
    const types = scalarTypes(parameter.schema);
    if (types === undefined) continue;
    query.set(parameter.name, { argument, required: parameter.required, types });
  }
  const all = new Map(query);
  const defs = body?.media.schema.defs ?? new Map();
  for (const { argument, property, schema, required } of body?.properties ?? []) {
    const types = scalarTypes({ schema, defs });
    if (types !== undefined && !all.has(property)) all.set(property, { argument, required, types });
  }
  return [...all.keys()].some(isPageName) ? { query, all } : undefined;
}

/** True for a name that something which asks for another page may have. */
export function isPageName(name: string): boolean {
  return pageName.test(name);
}

/** The argument's value for what an answer says; `undefined`: it cannot take that. */
export function pageValue(
  said: string | number,
  { types }: Pick<PageArgument, "types">,
): string | number | undefined {
  const isNumeric = types.includes("integer") || types.includes("number");
  if (isNumeric && (typeof said === "number" || /^-?\d{1,15}$/.test(said))) return Number(said);
  return types.length === 0 || types.includes("string") ? String(said) : undefined;
}

/** True for a value that can be sent as a page's. */
export function isPageValue(value: JsonValue | undefined): value is string | number {
  return (typeof value === "string" && value !== "") || Number.isSafeInteger(value);
}

function scalarTypes({ schema, defs }: SelfContainedSchema): readonly string[] | undefined {
  const resolved = resolveSchema(schema, defs);
  const types = schemaTypes(resolved);
  return types.every((type) => scalars.has(type)) ? types : undefined;
}
