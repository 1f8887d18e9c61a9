import type { JsonSchema } from "@toolweave/core";
import type { Location, Scope } from "../document/references/location.ts";
import { isRecord, ownString, ownValue, referenceOf } from "../document/record.ts";
import type { JsonRecord } from "../document/record.ts";
import type { ReferenceResolver } from "../document/references/resolve-reference.ts";
import type { StepBudget } from "./step-budget.ts";

const maxParts = 100;

/** What tagging needs from the document around the schema. */
interface DiscriminatorContext {
  readonly resolver: ReferenceResolver;
  readonly targets: DiscriminatorTargets;
  readonly budget: StepBudget;
}

/**
 * JSON Schema has no discriminator: each branch says instead which values of the property select it
 * (OpenAPI 3.2, section 4.25). Only an explicit mapping counts, and only where the branch itself
 * says nothing about the property. The branch of `defaultMapping` is for a property that is absent,
 * or has none of the values.
 */
export function tagBranch(
  translated: JsonSchema,
  branch: unknown,
  discriminator: JsonRecord,
  at: Pick<Location, "scope" | "pointer">,
  { resolver, targets, budget }: DiscriminatorContext,
): JsonSchema {
  const { scope } = at;
  const name = ownString(discriminator, "propertyName");
  const mapping = ownValue(discriminator, "mapping");
  const fallback = ownString(discriminator, "defaultMapping");
  const reference = referenceOf(branch);
  if (name === undefined || reference === undefined || !isRecord(mapping)) return translated;
  let known = targets.get(discriminator);
  if (known === undefined) {
    known = targetsOf(mapping, fallback, scope, resolver);
    targets.set(discriminator, known);
  }
  const { byReference, byNode } = known;
  const node = byNode.size === 0 ? undefined : resolver.peek(branch, scope)?.value;
  const found = [...(byReference.get(reference) ?? []), ...(byNode.get(node) ?? [])];
  const values = found.filter((value) => value !== unmapped);
  // Branches that are the same one have the same values, each a list of its own.
  budget.spend(found.length, at);
  if (found.length > values.length) {
    budget.spend(Object.keys(mapping).length, at);
    const own = new Set(values);
    const others = Object.keys(mapping).filter((value) => !own.has(value));
    if (others.length === 0 || restricts(branch, name, scope, resolver)) return translated;
    return { ...translated, properties: { [name]: { not: { enum: others } } } };
  }
  if (values.length === 0 || restricts(branch, name, scope, resolver)) return translated;
  return {
    ...translated,
    properties: { [name]: values.length === 1 ? { const: values[0] as string } : { enum: values } },
    ...(fallback === undefined ? {} : { required: [name] }),
  };
}

/** Stands for all values that are not mapped. */
const unmapped: unique symbol = Symbol("unmapped");
type Tag = string | typeof unmapped;

/** The values that lead somewhere. */
interface Targets {
  readonly byReference: ReadonlyMap<string, readonly Tag[]>;
  /** By the schema itself, where the mapping writes its place in another way than the branch may. */
  readonly byNode: ReadonlyMap<unknown, readonly Tag[]>;
}

/** Where the values of discriminators lead, as far as one document was read. */
export type DiscriminatorTargets = WeakMap<JsonRecord, Targets>;

/** A mapping names its schema by the name of a component, else by reference. */
function targetsOf(
  mapping: JsonRecord,
  fallback: string | undefined,
  scope: Scope,
  resolver: ReferenceResolver,
): Targets {
  const byReference = new Map<string, Tag[]>();
  const byNode = new Map<unknown, Tag[]>();
  const add = (target: unknown, value: Tag): void => {
    if (typeof target !== "string") return;
    if (target.startsWith("#")) return push(byReference, target, value);
    push(byReference, `#/components/schemas/${target}`, value);
    if (!/[#/.]/.test(target) || !resolver.isOpen(target, scope)) return;
    const node = resolver.peek({ $ref: target }, scope)?.value;
    if (node !== undefined) push(byNode, node, value);
  };
  for (const value of Object.keys(mapping)) add(mapping[value], value);
  add(fallback, unmapped);
  return { byReference, byNode };
}

function push<Key>(map: Map<Key, Tag[]>, key: Key, value: Tag): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
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
