import { inPlaceSubschemas } from "@toolweave/core/adapter";
import type { JsonSchema } from "@toolweave/core";
import type { Scope } from "../document/references/location.ts";
import { isRecord, type JsonRecord } from "../document/record.ts";
import type { ReferenceResolver } from "../document/references/resolve-reference.ts";

/** Copies of schemas that are read without `additionalProperties: false`, by the schema. */
const copies = new WeakMap<JsonRecord, JsonRecord>();
const originals = new WeakMap<object, JsonRecord>();

/**
 * Returns the variant of a schema that accepts further properties, as do the schemas of which it is composed; the same
 * one each time.
 */
export function toOpened(node: JsonRecord): JsonRecord {
  if (originals.has(node)) return node;
  let copy = copies.get(node);
  if (copy === undefined) {
    copy = { ...node };
    copies.set(node, copy);
    originals.set(copy, node);
  }
  return copy;
}

/** Returns the schema of the document from which a variant was made; undefined for any other schema. */
export function getUnopened(node: unknown): JsonRecord | undefined {
  return typeof node === "object" && node !== null ? originals.get(node) : undefined;
}

const maxParts = 100;

/** The schemas that apply to one value together, without the branches of a choice. */
interface Conjunction {
  /** The names in `properties` of each schema that has `additionalProperties: false`. */
  readonly closed: ReadonlySet<string>[];
  readonly names: Set<string>;
  readonly branches: Conjunction[];
}

/**
 * Returns the names of properties that one schema of a composition declares and another one refuses with
 * `additionalProperties: false`, which counts only the properties beside it (JSON Schema 2020-12 core, section
 * 10.3.2.3). No value can have such a property, so the author must have meant the properties of the whole composition.
 */
export function findRefusedNames(
  node: JsonRecord,
  scope: Scope,
  resolver: ReferenceResolver,
): ReadonlySet<string> {
  const { properties, additionalProperties, $ref, allOf, anyOf, oneOf } = node;
  const describes = properties !== undefined || additionalProperties === false;
  const isPart = $ref !== undefined || anyOf !== undefined || oneOf !== undefined;
  if (allOf === undefined && !(describes && isPart)) return none;
  if (!hasClosed(node, scope, resolver)) return none;
  const refused = new Set<string>();
  compare(readConjunction(node, scope, resolver), new Set(), refused);
  return refused;
}

const none: ReadonlySet<string> = new Set();

/** The results of `hasClosed`: most documents have no such schema, and their compositions share references. */
const closedWithin = new WeakMap<JsonRecord, boolean>();

/** Returns true if a schema, or one of which it is composed, has `additionalProperties: false`, or may have it. */
function hasClosed(node: unknown, scope: Scope, resolver: ReferenceResolver, depth = 0): boolean {
  if (!isRecord(node)) return false;
  if (depth > maxParts) return true;
  let known = closedWithin.get(node);
  if (known === undefined) {
    const { additionalProperties, allOf, anyOf, oneOf } = node;
    known = additionalProperties === false;
    // A schema that leads back to itself adds nothing.
    closedWithin.set(node, known);
    const isFound = (branch: unknown): boolean => hasClosed(branch, scope, resolver, depth + 1);
    const target = known ? undefined : resolver.peek(node, scope);
    known ||=
      (target !== undefined && hasClosed(target.value, target.scope, resolver, depth + 1)) ||
      [allOf, anyOf, oneOf].some((branches) => Array.isArray(branches) && branches.some(isFound));
    closedWithin.set(node, known);
  }
  return known;
}

function readConjunction(
  root: unknown,
  rootScope: Scope,
  resolver: ReferenceResolver,
  budget = { left: maxParts },
): Conjunction {
  const found: Conjunction = { closed: [], names: new Set(), branches: [] };
  const open = [{ value: root, scope: rootScope }];
  const seen = new Set<unknown>();
  for (const { value, scope } of open) {
    if (!isRecord(value) || seen.has(value) || budget.left-- <= 0) continue;
    seen.add(value);
    const { properties, patternProperties, additionalProperties } = value;
    const names = isRecord(properties) ? Object.keys(properties) : [];
    for (const name of names) found.names.add(name);
    if (additionalProperties === false && patternProperties === undefined) {
      found.closed.push(new Set(names));
    }
    const target = resolver.peek(value, scope);
    if (target !== undefined) open.push(target);
    for (const [part, [keyword]] of inPlaceSubschemas(value as JsonSchema)) {
      if (keyword === "allOf") open.push({ value: part, scope });
      else if (keyword === "anyOf" || keyword === "oneOf") {
        found.branches.push(readConjunction(part, scope, resolver, budget));
      }
    }
  }
  return found;
}

/** @param outer the names that schemas outside declare for the same value. */
function compare(
  { closed, names, branches }: Conjunction,
  outer: ReadonlySet<string>,
  refused: Set<string>,
): void {
  const own = new Set([...outer, ...names]);
  const all = branches.length === 0 ? own : new Set(own);
  for (const branch of branches) collectNames(branch, all);
  for (const known of closed) for (const name of all) if (!known.has(name)) refused.add(name);
  for (const branch of branches) compare(branch, own, refused);
}

function collectNames({ names, branches }: Conjunction, into: Set<string>): void {
  for (const name of names) into.add(name);
  for (const branch of branches) collectNames(branch, into);
}
