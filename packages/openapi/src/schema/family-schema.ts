import type { JsonSchema } from "@toolweave/core";
import type { Location } from "../document/references/location.ts";
import { getReference } from "../document/record.ts";
import type { JsonRecord } from "../document/record.ts";
import { selectTags, applyTag } from "./discriminator.ts";
import type { SchemaFamily } from "./polymorphic-parents.ts";
import type { SchemaMode } from "./property-access.ts";
import { readPropertyValues } from "./property-values.ts";
import { isAnnotation } from "./schema-keywords.ts";
import type { TranslationContext } from "./translation-context.ts";

/**
 * Creates the schema of a polymorphic parent for values that are sent: each child with the values of the property that
 * select it, and the parent alone for all other values. Without annotations.
 *
 * @param define creates a definition of a schema, and a reference to it.
 */
export function toFamilySchema(
  node: JsonRecord,
  { property, children, parent, ownValues, isComplete }: SchemaFamily,
  mode: SchemaMode,
  at: Pick<Location, "scope" | "pointer">,
  context: TranslationContext,
  define: (location: Location) => JsonSchema,
): JsonSchema {
  const { parents, resolver, budget } = context;
  const { scope, pointer } = at;
  budget.spend(children.length, at);
  const alone = define({ value: parent, scope, pointer });
  const type: JsonSchema = node["type"] === "object" ? { type: "object" } : {};
  if (mode === "openRequest" || children.length === 0) return { ...type, allOf: [alone] };
  const own = { value: node, scope, mapped: ownValues, isFallback: true, isParent: true };
  const tags = selectTags(property, [...children, own], undefined, isComplete, at, context);
  const branches = children.map(({ location }, index) => {
    // A child that is itself a parent by the same property is added without its children, which are also in the list.
    const inner = parents.getFamily(location.value, location);
    const value = inner?.property === property ? inner.parent : location.value;
    const child = define({ value, scope: location.scope, pointer: location.pointer });
    return applyTag(child, property, tags[index]);
  });
  const last = tags.at(-1);
  const { values } = readPropertyValues(node, property, scope, resolver);
  const { required } = parent;
  const isChild = (value: unknown): boolean => last?.except?.includes(value as string) === true;
  const isAlwaysChild =
    Array.isArray(required) &&
    required.includes(property) &&
    values !== undefined &&
    [...values].every(isChild);
  if (!isAlwaysChild) branches.push(applyTag(alone, property, last));
  return { ...type, anyOf: branches };
}

/**
 * Returns the parent to which a child refers, without the children that could replace it. Otherwise a validator would
 * never terminate.
 *
 * @param target the target of the child's reference.
 * @returns nothing if it is not a parent of `root`.
 */
export function findParentAlone(
  target: Location,
  root: Location,
  context: TranslationContext,
): Location | undefined {
  const { resolver, parents, families, budget } = context;
  let end = target;
  while (isAlias(end.value, context)) {
    // Cyclic references were refused before.
    end = resolver.resolve(getReference(end.value) as string, end);
  }
  const family = parents.getFamily(end.value, end);
  if (family === undefined) return undefined;
  const isOwn = families.reaches(end, parents.getOriginal(root.value), false);
  budget.spend(families.visited >> 4, end);
  return isOwn ? { value: family.parent, scope: end.scope, pointer: end.pointer } : undefined;
}

/** Returns true for a schema that only refers to another one. */
function isAlias(value: unknown, { siblingsCount }: TranslationContext): boolean {
  if (getReference(value) === undefined) return false;
  if (!siblingsCount) return true;
  return Object.keys(value as JsonRecord).every((key) => key === "$ref" || isAnnotation(key));
}
