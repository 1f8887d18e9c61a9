import { getChild, getItems, type Location, type Scope } from "../document/references/location.ts";
import type { OpenApiVersion } from "../document/openapi-version.ts";
import { isRecord, ownValue } from "../document/record.ts";
import type { JsonRecord } from "../document/record.ts";
import type { ResponseSchemas } from "./response-schemas.ts";
import type { ReferenceResolver } from "../document/references/resolve-reference.ts";

/**
 * The direction in which a schema is used: request or response.
 *
 * - `replacement` is a request that replaces a whole resource (PUT), which since OpenAPI 3.1 contains its read-only
 * properties too.
 * - `openRequest` is a request without the children of polymorphic parents, if there are too many of them.
 */
export type SchemaMode = "request" | "replacement" | "openRequest" | "response";

const readOnly = 1;
const writeOnly = 2;
const maxSteps = 8;
const maxParts = 500;

/** The rules, beside the direction, that determine which properties are omitted. */
export interface AccessRules {
  readonly version: OpenApiVersion;
  /** Names of properties that the host sends although the document declares them read-only. */
  readonly writable: ReadonlySet<string>;
  /** The names in `writable` that were found. */
  readonly written: Set<string>;
  readonly responses: Pick<ResponseSchemas, "hasRequired">;
}

/**
 * Omits properties that exist in one direction only: read-only properties of requests, write-only ones of responses.
 *
 * - Swagger 2.0: a read-only property "MUST NOT be sent as part of the request" (Schema Object).
 * - OpenAPI 3.0: it "SHOULD NOT be sent", and "the `required` will take effect on the response only" (Schema Object).
 * In a schema that no response has, `required` can only mean the request: there, the property may be sent.
 * - OpenAPI 3.1 and 3.2: `readOnly` is an annotation ("Validating `readOnly` and `writeOnly`"). A required read-only
 * property may be sent; a request that replaces the resource must contain it. Others are omitted.
 *
 * The host may name properties that are sent in any version (`writable`), because the document is wrong about them.
 */
export class AccessFilter {
  /** True until a property was found that exists in one direction only. */
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
   * Returns true if a property is omitted.
   *
   * @param schemas the object's schema, and those of which it is a part.
   */
  hides(name: string, schema: unknown, schemas: readonly JsonRecord[], scope: Scope): boolean {
    if (!this.#isHidden(name, readAccess(schema, scope, this.#resolver))) return false;
    if (this.#mode === "response" || this.#rules.version === "2.0") return true;
    return !this.#someSchema(schemas, scope, ({ value }) => this.#requires(value, name));
  }

  /** Returns true if the property called `name` is not required, because one of `schemas` omits it. */
  hidesName(name: string, schemas: readonly JsonRecord[], scope: Scope): boolean {
    const isHidden = this.#someSchema(schemas, scope, (part) => {
      const property = ownValue(ownValue(part.value, "properties"), name);
      if (property === undefined) return false;
      return this.#isHidden(name, readAccess(property, part.scope, this.#resolver));
    });
    return isHidden && !(this.#mode === "replacement" && this.#isAnnotation);
  }

  /**
   * Returns the properties that `node` requires and that another schema, to which one of `schemas` refers, omits
   * because it does not require them itself.
   */
  findOmitted(
    node: JsonRecord,
    schemas: readonly JsonRecord[],
    scope: Scope,
  ): ReadonlyMap<string, Location> {
    const omitted = new Map<string, Location>();
    const { required } = node;
    if (this.#mode === "response" || this.#rules.version === "2.0") return omitted;
    if (!Array.isArray(required)) return omitted;
    for (const name of required as unknown[]) {
      if (typeof name !== "string") continue;
      const property = this.#findReferenced(name, schemas, scope);
      if (property !== undefined && this.#requires(node, name)) omitted.set(name, property);
    }
    return omitted;
  }

  /**
   * Returns a read-only property of a schema behind a reference, which applies whatever branch of a choice a value has;
   * undefined if one of `schemas` itself declares it.
   */
  #findReferenced(
    name: string,
    schemas: readonly JsonRecord[],
    scope: Scope,
  ): Location | undefined {
    let found: Location | undefined;
    const passes = (part: Pick<Location, "value" | "scope">, target?: Location): boolean => {
      const property = ownValue(ownValue(part.value, "properties"), name);
      if (property === undefined) return false;
      if (target === undefined) return true;
      if (this.#isHidden(name, readAccess(property, part.scope, this.#resolver))) {
        found ??= getChild(getChild(target, "properties"), name);
      }
      return false;
    };
    const isDeclared = this.#someSchema(schemas, scope, passes, ["allOf"]);
    return isDeclared ? undefined : found;
  }

  #isHidden(name: string, access: number): boolean {
    if (access === 0) return false;
    this.sameInBothModes = false;
    if (this.#mode === "response") return (access & writeOnly) !== 0;
    if ((access & readOnly) === 0) return false;
    const { writable, written } = this.#rules;
    if (!writable.has(name)) return true;
    written.add(name);
    return false;
  }

  /** Returns true if a schema requires the property in requests. */
  #requires(schema: unknown, name: string): boolean {
    const required = ownValue(schema, "required");
    if (!Array.isArray(required) || !required.includes(name)) return false;
    return this.#isAnnotation || !this.#rules.responses.hasRequired(required);
  }

  /**
   * Returns true if one of `schemas`, or of the schemas of which they are composed, passes.
   *
   * @param passes gets the location of a schema behind a reference too.
   */
  #someSchema(
    schemas: readonly JsonRecord[],
    scope: Scope,
    passes: (part: Pick<Location, "value" | "scope">, target: Location | undefined) => boolean,
    keywords: readonly string[] = ["allOf", "oneOf", "anyOf"],
  ): boolean {
    const open: (readonly [part: Pick<Location, "value" | "scope">, target?: Location])[] =
      schemas.map((value) => [{ value, scope }]);
    for (let parts = 0; parts < maxParts; parts++) {
      const next = open.pop();
      if (next === undefined) return false;
      const [part, target] = next;
      if (!isRecord(part.value)) continue;
      if (passes(part, target)) return true;
      const referenced = this.#resolver.peek(part.value, part.scope);
      if (referenced !== undefined) open.push([referenced, referenced]);
      for (const keyword of keywords) {
        const members = part.value[keyword];
        if (!Array.isArray(members)) continue;
        // Other branches of a choice do not apply to the current branch.
        const isInside =
          keyword !== "allOf" && members.some((one) => schemas.includes(one as JsonRecord));
        if (isInside) continue;
        if (target === undefined) {
          for (const value of members as unknown[]) open.push([{ value, scope: part.scope }]);
        } else {
          for (const one of getItems(getChild(target, keyword))) open.push([one, one]);
        }
      }
    }
    return false;
  }
}

/**
 * Returns the access flags of a property's schema, including those of the schemas that it refers to or is composed of.
 * Of several occurrences one is sufficient (JSON Schema 2020-12 Validation, section 9.4); of alternatives all must have
 * the flag.
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
