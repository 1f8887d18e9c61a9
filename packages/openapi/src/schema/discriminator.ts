import type { JsonSchema } from "@toolweave/core";
import type { Location, Scope } from "../document/location.ts";
import { isRecord, ownString, ownValue, referenceOf } from "../document/record.ts";
import type { JsonRecord } from "../document/record.ts";
import type { ReferenceResolver } from "../document/resolve-reference.ts";

const maxParts = 100;

/**
 * JSON Schema has no discriminator: each branch says instead which values of the property select it
 * (OpenAPI 3.2, section 4.25). Only an explicit mapping counts, and only where the branch itself
 * says nothing about the property.
 */
export function tagBranch(
  translated: JsonSchema,
  branch: unknown,
  discriminator: JsonRecord,
  scope: Scope,
  resolver: ReferenceResolver,
): JsonSchema {
  const name = ownString(discriminator, "propertyName");
  const mapping = ownValue(discriminator, "mapping");
  const reference = referenceOf(branch);
  if (name === undefined || reference === undefined || !isRecord(mapping)) return translated;
  const values = Object.keys(mapping).filter((value) => isFor(mapping[value], reference));
  if (values.length === 0 || restricts(branch, name, scope, resolver)) return translated;
  return {
    ...translated,
    properties: { [name]: values.length === 1 ? { const: values[0] as string } : { enum: values } },
  };
}

/** A mapping names its schema by reference, or by the name of a component. */
function isFor(target: unknown, reference: string): boolean {
  return target === reference || `#/components/schemas/${String(target)}` === reference;
}

function restricts(
  schema: unknown,
  name: string,
  scope: Scope,
  resolver: ReferenceResolver,
): boolean {
  const open: Pick<Location, "value" | "scope">[] = [{ value: schema, scope }];
  for (let parts = 0; parts < maxParts; parts++) {
    const part = open.pop();
    if (part === undefined) break;
    if (!isRecord(part.value)) continue;
    const property = ownValue(part.value["properties"], name);
    if (isRecord(property) && Object.keys(property).some((key) => restricting.has(key)))
      return true;
    const target = resolver.peek(part.value, part.scope);
    if (target !== undefined) open.push(target);
    const all = part.value["allOf"];
    if (Array.isArray(all)) for (const value of all) open.push({ value, scope: part.scope });
  }
  return false;
}

const restricting: ReadonlySet<string> = new Set(["enum", "const", "pattern", "$ref", "allOf"]);
