import type { JsonSchema } from "@toolweave/core";
import type { Location } from "../document/references/location.ts";
import { getReference } from "../document/record.ts";
import type { JsonRecord } from "../document/record.ts";
import { selectTags, tagged } from "./discriminator.ts";
import type { SchemaFamily } from "./polymorphic-parents.ts";
import type { SchemaMode } from "./property-access.ts";
import { readPropertyValues } from "./property-values.ts";
import { isAnnotation } from "./schema-keywords.ts";
import type { TranslationContext } from "./translation-context.ts";

/**
 * What stands for a polymorphic parent where a value is sent: each child with the values of the property that select it,
 * and the parent alone for all other values. Without its annotations.
 *
 * @param define makes a definition of a schema, and a reference to it.
 */
export function familySchema(
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
    // A child that is a parent itself, by the same property, stands beside its own children.
    const inner = parents.familyOf(location.value, location);
    const value = inner?.property === property ? inner.parent : location.value;
    const child = define({ value, scope: location.scope, pointer: location.pointer });
    return tagged(child, property, tags[index]);
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
  if (!isAlwaysChild) branches.push(tagged(alone, property, last));
  return { ...type, anyOf: branches };
}

/**
 * What a child means by its parent: that alone, without the children that could stand in place of it. A validator would
 * never end otherwise.
 *
 * @param target what the child refers to.
 * @returns nothing where that is no parent of `root`.
 */
export function parentAlone(
  target: Location,
  root: Location,
  context: TranslationContext,
): Location | undefined {
  const { resolver, parents, families, budget } = context;
  let end = target;
  while (isAlias(end.value, context)) {
    // References in a circle have been refused before.
    end = resolver.resolve(getReference(end.value) as string, end);
  }
  const family = parents.familyOf(end.value, end);
  if (family === undefined) return undefined;
  const isOwn = families.reaches(end, parents.originalOf(root.value), false);
  budget.spend(families.visited >> 4, end);
  return isOwn ? { value: family.parent, scope: end.scope, pointer: end.pointer } : undefined;
}

/** True for a schema that is another one under its own name. */
function isAlias(value: unknown, { siblingsCount }: TranslationContext): boolean {
  if (getReference(value) === undefined) return false;
  if (!siblingsCount) return true;
  return Object.keys(value as JsonRecord).every((key) => key === "$ref" || isAnnotation(key));
}
