import type { JsonSchema, JsonValue } from "@toolweave/core";
import { parsePointer } from "@toolweave/core/adapter";
import type { Location, Scope } from "../document/references/location.ts";
import { isRecord, ownString, ownValue, getReference } from "../document/record.ts";
import type { JsonRecord } from "../document/record.ts";
import type { ReferenceResolver } from "../document/references/resolve-reference.ts";
import { readPropertyValues, type PropertyValues } from "./property-values.ts";
import type { StepBudget } from "./step-budget.ts";

/** The parts of a document that the tagging of branches needs. */
interface DiscriminatorContext {
  readonly resolver: ReferenceResolver;
  readonly targets: DiscriminatorTargets;
  readonly budget: StepBudget;
}

/** The values of the discriminating property that select a branch. */
export interface BranchTag {
  /** The selecting values. */
  readonly values?: readonly string[];
  /** All values except these select the branch. */
  readonly except?: readonly string[];
  /** The property is required. */
  readonly isRequired?: boolean;
}

/** One schema that a discriminator can select. */
export interface Alternative {
  /** The schema as in the document; may be a reference. */
  readonly value: unknown;
  readonly scope: Scope;
  /** The values that the mapping has for it. */
  readonly mapped: readonly string[];
  /** The name of its component, which is its value if no mapping has one. */
  readonly name?: string;
  /** It is selected by all values that select no other branch (OpenAPI 3.2 `defaultMapping`). */
  readonly isFallback?: boolean;
  /** It is the parent of the others: their values never select it, whatever its own schema allows. */
  readonly isParent?: boolean;
}

/**
 * Determines the values of the property that select each branch, because JSON Schema has no discriminator (OpenAPI
 * 3.0.3 and 3.2, "Discriminator Object"). The branch of `defaultMapping` is selected if the property is absent, or has
 * none of the values.
 *
 * @param owner the schema that has `discriminator` and the branches.
 * @returns the tag of each branch; undefined if it is unknown.
 */
export function getBranchTags(
  owner: JsonRecord,
  branches: readonly unknown[],
  at: Pick<Location, "scope" | "pointer">,
  context: DiscriminatorContext,
): readonly (BranchTag | undefined)[] {
  const { discriminator } = owner;
  const property = ownString(discriminator, "propertyName");
  if (!isRecord(discriminator) || property === undefined) return [];
  const { scope } = at;
  const { resolver, budget } = context;
  const known = getTargets(discriminator, scope, context);
  let found = 0;
  const alternatives = branches.map((branch): Alternative => {
    const reference = getReference(branch);
    if (reference === undefined) return { value: branch, scope, mapped: [] };
    const tags = findTags(known, reference, scope, resolver);
    // Duplicates of a branch have the same values, each as a separate list.
    budget.spend(tags.length, at);
    const mapped = tags.filter((tag) => tag !== unmapped);
    found += mapped.length;
    const name = getComponentName(reference);
    const isFallback = tags.length > mapped.length;
    return { value: branch, scope, mapped, isFallback, ...(name === undefined ? {} : { name }) };
  });
  const isComplete = found >= known.count;
  return selectTags(property, alternatives, { value: owner, scope }, isComplete, at, context);
}

/**
 * Determines the values that select each alternative: those of the mapping, else the name of its component. The
 * alternative's own constraints on the property take precedence over both. Names are used only if all of them are
 * possible: if the schemas name other values, the document's mapping is missing.
 *
 * @param owner the schema that all alternatives have in common.
 * @param isComplete true if every entry of the mapping leads to one of the alternatives.
 */
export function selectTags(
  property: string,
  alternatives: readonly Alternative[],
  owner: Pick<Location, "value" | "scope"> | undefined,
  isComplete: boolean,
  at: Pick<Location, "scope" | "pointer">,
  { resolver, budget }: Pick<DiscriminatorContext, "resolver" | "budget">,
): readonly (BranchTag | undefined)[] {
  const said = alternatives.map(({ value, scope }) => {
    const values = readPropertyValues(value, property, scope, resolver);
    budget.spend(values.parts, at);
    return values;
  });
  const names = new Set(alternatives.flatMap(({ mapped, name }) => [...mapped, name]));
  const common =
    owner === undefined
      ? undefined
      : readPropertyValues(owner.value, property, owner.scope, resolver);
  const usesNames =
    isComplete &&
    alternatives.every(({ mapped, name, isFallback }, index) => {
      if (mapped.length > 0 || name === undefined || isFallback === true) return true;
      return [said[index], common].every(
        (one) => one === undefined || one.isUnion || canBe(one, name, names),
      );
    });
  const values = alternatives.map(({ mapped, name }, index): readonly string[] => {
    const own = said[index] as PropertyValues;
    if (own.isOpaque || !own.allowsText) return [];
    const meant =
      mapped.length > 0 ? mapped : usesNames && name !== undefined && !own.isUnion ? [name] : [];
    return own.values === undefined ? meant : meant.filter((value) => own.values?.has(value));
  });
  const hasFallback = alternatives.some(({ isFallback }) => isFallback === true);
  return alternatives.map(({ isFallback, isParent }, index) => {
    const own = values[index] as readonly string[];
    if (isFallback === true) {
      budget.spend(names.size, at);
      const { values: restricted, isOpaque } = said[index] as PropertyValues;
      if (isParent !== true && (restricted !== undefined || isOpaque)) return undefined;
      const mine = new Set([...own, ...(alternatives[index] as Alternative).mapped]);
      const others = alternatives.flatMap(({ mapped }, other) =>
        other === index ? [] : [...mapped, ...(values[other] as readonly string[])],
      );
      const except = [...new Set(others)].filter((value) => !mine.has(value));
      return except.length === 0 ? undefined : { except };
    }
    // The branch itself already requires these values.
    const isSaid = !hasFallback && said[index]?.values?.size === own.length;
    if (own.length === 0 || isSaid) return undefined;
    return { values: own, ...(hasFallback ? { isRequired: true } : {}) };
  });
}

/** Returns false if a schema requires other values of the property than its own name. */
function canBe(
  { values, hints, allowsText, isOpaque }: PropertyValues,
  name: string,
  names: ReadonlySet<unknown>,
): boolean {
  if (isOpaque) return true;
  if (!allowsText || (values !== undefined && !values.has(name))) return false;
  return values !== undefined || hints.every((hint) => names.has(hint));
}

/** Returns a translated branch, with the values of the property that select it. */
export function applyTag(
  translated: JsonSchema,
  property: string,
  tag: BranchTag | undefined,
): JsonSchema {
  if (tag === undefined) return translated;
  const { values, except, isRequired } = tag;
  const [only, another] = values ?? [];
  const selector: JsonSchema =
    values === undefined
      ? { not: { enum: except as JsonValue } }
      : only !== undefined && another === undefined
        ? { const: only }
        : { enum: values };
  const tags: JsonSchema = {
    properties: { [property]: selector },
    ...(isRequired === true ? { required: [property] } : {}),
  };
  const isFree = translated["properties"] === undefined && translated["required"] === undefined;
  return isFree ? { ...translated, ...tags } : { allOf: [translated, tags] };
}

/** Represents all values that are not mapped. */
const unmapped: unique symbol = Symbol("unmapped");
type Tag = string | typeof unmapped;

/** The values of a discriminator by the schemas that they select. */
interface Targets {
  /** By the schema at the end of the mapping's reference. */
  readonly byTarget: ReadonlyMap<unknown, readonly Tag[]>;
  /** By the schema to which that one is an alias, or the same: branches may refer to it directly. */
  readonly byMeaning: ReadonlyMap<unknown, readonly Tag[]>;
  /** Number of values of the mapping. */
  readonly count: number;
}

/** The targets of all discriminators that were read in a document. */
export type DiscriminatorTargets = WeakMap<JsonRecord, Targets>;

function getTargets(
  discriminator: JsonRecord,
  scope: Scope,
  { resolver, targets }: Pick<DiscriminatorContext, "resolver" | "targets">,
): Targets {
  let known = targets.get(discriminator);
  if (known === undefined) {
    const mapping = ownValue(discriminator, "mapping");
    const fallback = ownString(discriminator, "defaultMapping");
    known = findTargets(isRecord(mapping) ? mapping : {}, fallback, scope, resolver);
    targets.set(discriminator, known);
  }
  return known;
}

/** Resolves the entries of a mapping, which are names of components or references, in other files too. */
function findTargets(
  mapping: JsonRecord,
  fallback: string | undefined,
  scope: Scope,
  resolver: ReferenceResolver,
): Targets {
  const byTarget = new Map<unknown, Tag[]>();
  const byMeaning = new Map<unknown, Tag[]>();
  const add = (target: unknown, value: Tag): void => {
    if (typeof target !== "string") return;
    const mapped = resolver.toMappedReference(target, scope);
    const found = resolver.peek({ $ref: mapped.reference }, mapped.scope);
    if (found === undefined) return;
    push(byTarget, found.value, value);
    push(byMeaning, resolver.peekMeaning(found)?.value, value);
  };
  const values = Object.keys(mapping);
  for (const value of values) add(mapping[value], value);
  add(fallback, unmapped);
  return { byTarget, byMeaning, count: values.length };
}

/** Returns the values that select the schema at a reference. */
function findTags(
  { byTarget, byMeaning }: Targets,
  reference: string,
  scope: Scope,
  resolver: ReferenceResolver,
): readonly Tag[] {
  if (byTarget.size === 0) return [];
  const target = resolver.peek({ $ref: reference }, scope);
  if (target === undefined) return [];
  return byTarget.get(target.value) ?? byMeaning.get(resolver.peekMeaning(target)?.value) ?? [];
}

function push<Key>(map: Map<Key, Tag[]>, key: Key, value: Tag): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}

/** Returns the name of the component to which a reference leads; undefined if it leads elsewhere. */
function getComponentName(reference: string): string | undefined {
  const key = /\/(?:components\/schemas|definitions)(\/[^/]+)$/.exec(reference)?.[1];
  return key === undefined ? undefined : parsePointer(key)[0];
}
