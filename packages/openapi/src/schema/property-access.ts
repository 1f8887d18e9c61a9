import type { Location, Scope } from "../document/references/location.ts";
import type { OpenApiVersion } from "../document/openapi-version.ts";
import { isRecord, ownValue } from "../document/record.ts";
import type { JsonRecord } from "../document/record.ts";
import type { ReferenceResolver } from "../document/references/resolve-reference.ts";

/**
 * Which way a schema is used: what is sent, or what comes back.
 *
 * - `replacement` is what replaces a resource as a whole (PUT), which since OpenAPI 3.1 has its read-only properties, too.
 * - `openRequest` is what is sent where the children of polymorphic parents would be too many.
 */
export type SchemaMode = "request" | "replacement" | "openRequest" | "response";

const readOnly = 1;
const writeOnly = 2;
const maxSteps = 8;
const maxParts = 500;

/** What decides, beside the direction, which properties are left out. */
export interface AccessRules {
  readonly version: OpenApiVersion;
  /** Names of properties that the host sends although the document calls them read-only. */
  readonly writable: ReadonlySet<string>;
  /** Those of `writable` that were met. */
  readonly written: Set<string>;
}

/**
 * Leaves out what exists one way only: read-only properties of requests, write-only ones of responses.
 *
 * - Swagger 2.0: a read-only property "MUST NOT be sent as part of the request" (Schema Object).
 * - OpenAPI 3.0: it "SHOULD NOT be sent", and "the `required` will take effect on the response only" (Schema Object).
 *   The host may name those that are sent (`writable`).
 * - OpenAPI 3.1 and 3.2: `readOnly` is an annotation ("Validating `readOnly` and `writeOnly`"). A read-only property that is
 *   required can be sent; a request that replaces the resource has to have it. Others are left out.
 */
export class AccessFilter {
  /** True until a property was met that exists one way only. */
  sameInBothModes = true;
  readonly #mode: SchemaMode;
  readonly #rules: AccessRules;
  readonly #isAnnotation: boolean;
  readonly #resolver: ReferenceResolver;

  constructor(mode: SchemaMode, rules: AccessRules, resolver: ReferenceResolver) {
    this.#mode = mode;
    this.#rules = rules;
    this.#isAnnotation = rules.version === "3.1" || rules.version === "3.2";
    this.#resolver = resolver;
  }

  /**
   * True when a property is left out.
   *
   * @param schemas the object's schema, and those that it is a part of.
   */
  hides(name: string, schema: unknown, schemas: readonly JsonRecord[], scope: Scope): boolean {
    if (!this.#isHidden(name, readAccess(schema, scope, this.#resolver))) return false;
    if (this.#mode === "response" || !this.#isAnnotation) return true;
    return !this.#some(schemas, scope, ({ value }) => isRequired(value, name));
  }

  /** True when the property called `name` need not be there, since one of `schemas` leaves it out. */
  hidesName(name: string, schemas: readonly JsonRecord[], scope: Scope): boolean {
    const isHidden = this.#some(schemas, scope, (part) => {
      const property = ownValue(ownValue(part.value, "properties"), name);
      if (property === undefined) return false;
      return this.#isHidden(name, readAccess(property, part.scope, this.#resolver));
    });
    return isHidden && !(this.#mode === "replacement" && this.#isAnnotation);
  }

  #isHidden(name: string, access: number): boolean {
    if (access === 0) return false;
    this.sameInBothModes = false;
    if (this.#mode === "response") return (access & writeOnly) !== 0;
    if ((access & readOnly) === 0) return false;
    const { version, writable, written } = this.#rules;
    if (version === "2.0" || !writable.has(name)) return true;
    written.add(name);
    return false;
  }

  /** True when one of `schemas`, or of the schemas that they are made of, passes. */
  #some(
    schemas: readonly JsonRecord[],
    scope: Scope,
    passes: (part: Pick<Location, "value" | "scope">) => boolean,
  ): boolean {
    const open: Pick<Location, "value" | "scope">[] = schemas.map((value) => ({ value, scope }));
    for (let parts = 0; parts < maxParts; parts++) {
      const part = open.pop();
      if (part === undefined) return false;
      if (!isRecord(part.value)) continue;
      if (passes(part)) return true;
      const target = this.#resolver.peek(part.value, part.scope);
      if (target !== undefined) open.push(target);
      for (const keyword of ["allOf", "oneOf", "anyOf"]) {
        const members = part.value[keyword];
        if (!Array.isArray(members)) continue;
        // Of the branch in hand, what other branches say means nothing.
        const isInside =
          keyword !== "allOf" && members.some((one) => schemas.includes(one as JsonRecord));
        if (isInside) continue;
        for (const value of members as unknown[]) open.push({ value, scope: part.scope });
      }
    }
    return false;
  }
}

function isRequired(schema: unknown, name: string): boolean {
  const required = ownValue(schema, "required");
  return Array.isArray(required) && required.includes(name);
}

/**
 * The access flags of a property's schema, also when it only refers to one that has them, or consists of such: of several
 * occurrences one is enough (JSON Schema 2020-12 Validation, section 9.4); of alternatives all must have it.
 */
function readAccess(
  schema: unknown,
  scope: Scope,
  resolver: ReferenceResolver,
  steps: number = maxSteps,
): number {
  if (!isRecord(schema)) return 0;
  let access =
    (schema["readOnly"] === true ? readOnly : 0) | (schema["writeOnly"] === true ? writeOnly : 0);
  if (access !== 0 || steps === 0) return access;
  const target = resolver.peek(schema, scope);
  if (target !== undefined) access |= readAccess(target.value, target.scope, resolver, steps - 1);
  const { allOf } = schema;
  if (Array.isArray(allOf)) {
    for (const part of (allOf as unknown[]).slice(0, maxSteps)) {
      access |= readAccess(part, scope, resolver, steps - 1);
    }
  }
  for (const keyword of ["oneOf", "anyOf"]) {
    const branches = schema[keyword];
    if (!Array.isArray(branches) || branches.length === 0 || branches.length > maxSteps) continue;
    access |= (branches as unknown[])
      .filter((branch) => ownValue(branch, "type") !== "null")
      .map((branch) => readAccess(branch, scope, resolver, steps - 1))
      .reduce((all, one) => all & one, readOnly | writeOnly);
  }
  return access;
}
