import type { Location, Scope } from "../document/references/location.ts";
import { isRecord, ownValue } from "../document/record.ts";
import type { JsonRecord } from "../document/record.ts";
import type { ReferenceResolver } from "../document/references/resolve-reference.ts";

/** Which way a schema is used: what is sent, or what comes back. */
export type SchemaMode = "request" | "response";

const readOnly = 1;
const writeOnly = 2;
const maxSteps = 8;
const maxParts = 500;

/** Leaves out what exists one way only: read-only properties of requests, write-only ones of responses. */
export class AccessFilter {
  /** True until a property was met that exists one way only. */
  sameInBothModes = true;
  readonly #hidden: number;
  readonly #resolver: ReferenceResolver;

  constructor(mode: SchemaMode, resolver: ReferenceResolver) {
    this.#hidden = mode === "request" ? readOnly : writeOnly;
    this.#resolver = resolver;
  }

  /** True when a property with this schema is left out. */
  hides(schema: unknown, scope: Scope): boolean {
    return this.#isHidden(accessOf(schema, scope, this.#resolver));
  }

  /** True when the property called `name` is left out of one of `schemas`, or of what they consist of. */
  hidesName(name: string, schemas: readonly JsonRecord[], scope: Scope): boolean {
    for (let index = 0; index < schemas.length; index++) {
      if (this.#isHidden(propertyAccess(schemas[index], name, scope, this.#resolver))) return true;
    }
    return false;
  }

  #isHidden(access: number): boolean {
    if (access === 0) return false;
    this.sameInBothModes = false;
    return (access & this.#hidden) !== 0;
  }
}

/** The access flags of a property's schema, also when it only refers to one that has them. */
function accessOf(
  schema: unknown,
  scope: Scope,
  resolver: ReferenceResolver,
  steps: number = maxSteps,
): number {
  if (!isRecord(schema)) return 0;
  const access =
    (schema["readOnly"] === true ? readOnly : 0) | (schema["writeOnly"] === true ? writeOnly : 0);
  if (access !== 0 || steps === 0) return access;
  const target = resolver.peek(schema, scope);
  return target === undefined ? 0 : accessOf(target.value, target.scope, resolver, steps - 1);
}

/** The access flags of the property called `name` of an object schema or of what it is made of. */
function propertyAccess(
  schema: unknown,
  name: string,
  scope: Scope,
  resolver: ReferenceResolver,
): number {
  const direct = ownValue(ownValue(schema, "properties"), name);
  if (direct !== undefined) return accessOf(direct, scope, resolver);
  if (!isRecord(schema) || (schema["allOf"] === undefined && schema["$ref"] === undefined))
    return 0;
  const open: Pick<Location, "value" | "scope">[] = [{ value: schema, scope }];
  for (let parts = 0; parts < maxParts; parts++) {
    const next = open.pop();
    if (next === undefined) return 0;
    if (!isRecord(next.value)) continue;
    const own = ownValue(next.value["properties"], name);
    if (own !== undefined) return accessOf(own, next.scope, resolver);
    const target = resolver.peek(next.value, next.scope);
    if (target !== undefined) open.push(target);
    const all = next.value["allOf"];
    if (Array.isArray(all)) for (const value of all) open.push({ value, scope: next.scope });
  }
  return 0;
}
