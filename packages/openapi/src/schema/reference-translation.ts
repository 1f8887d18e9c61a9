import type { JsonSchema } from "@toolweave/core";
import { isRecord, ownString, getReference, type JsonRecord } from "../document/record.ts";
import { DanglingReference } from "../document/operation.ts";
import type { DynamicScope } from "../document/references/dynamic-scope.ts";
import type { Location, Scope } from "../document/references/location.ts";
import { withoutApplicators } from "./in-place-graph.ts";
import { isOldDialect, isAnnotation } from "./schema-keywords.ts";
import type { SchemaMode } from "./property-access.ts";
import type { TranslationContext } from "./translation-context.ts";
import { TranslationPosition } from "./translation-position.ts";
import { selectTags, applyTag } from "./discriminator.ts";
import type { SchemaFamily } from "./polymorphic-parents.ts";
import { readPropertyValues } from "./property-values.ts";

export type Translated = JsonSchema | boolean;

/** Resolves the references of a schema that is being translated. */
export abstract class ReferenceTranslation extends TranslationPosition {
  protected dynamic: DynamicScope | undefined;
  /** True if keywords beside references are ignored: in versions before 3.1, and dialects before 2019-09. */
  protected replaces: boolean;
  /** References that point to nothing. */
  protected readonly dangling: DanglingReference[] = [];
  protected hasOmissions = false; // A reference in place leads back to the root.
  /** True if the current schema applies to the same value as the root. */
  protected inPlace = true;
  protected union = false; // … as a branch of `oneOf` or `anyOf`.

  constructor(
    root: Location,
    mode: SchemaMode,
    context: TranslationContext,
    dynamic: DynamicScope | undefined,
  ) {
    super(root, mode, context);
    this.dynamic = dynamic;
    const dialect = ownString(root.scope.resource, "$schema") ?? context.dialect;
    this.replaces = !context.siblingsCount || isOldDialect(dialect);
  }

  /** Translates a schema at the current position. Undefined: a branch that adds nothing. */
  protected abstract translate(node: unknown): Translated | undefined;

  /** Translates a reference to one into `$defs`. Undefined: a branch that leads to itself. */
  protected translateReference(reference: string): Translated | undefined {
    const known = this.scope.resolved.get(reference);
    return this.#orAnyValue(() =>
      this.#translateTarget(known ?? this.context.resolver.resolve(reference, this), reference),
    );
  }

  protected translateDynamicReference(reference: string): Translated | undefined {
    return this.#orAnyValue(() => {
      const target = this.context.resolver.resolveDynamic(reference, this, this.dynamic);
      return this.#translateTarget(target, reference);
    });
  }

  /** Accepts any value for a reference that points to nothing. */
  #orAnyValue(follow: () => Translated | undefined): Translated | undefined {
    const { scope } = this;
    const { length } = this.path;
    try {
      return follow();
    } catch (error) {
      // Only an error of the reference itself is handled here, not one in the schemas below it.
      if (!(error instanceof DanglingReference)) throw error;
      this.scope = scope;
      this.path.length = length;
      this.dangling.push(error);
      return true;
    }
  }

  #translateTarget(target: Location, reference: string): Translated | undefined {
    const { value } = target;
    if (typeof value === "boolean") return value;
    if (value === null) return true;
    if (!isRecord(value)) {
      throw this.error(`$ref ${JSON.stringify(reference.slice(0, 200))} does not lead to a schema`);
    }
    if (getReference(value) !== undefined) this.context.resolver.follow(target);
    if (!this.inPlace) return this.define(target, this.dynamic);
    const parent = this.isSent ? findParentAlone(target, this.root, this.context) : undefined;
    if (parent !== undefined) this.access.sameInBothModes = false;
    const meant = parent ?? target;
    if (this.#isCycle(meant)) {
      this.hasOmissions = true;
      const record = meant.value as JsonRecord;
      return this.union
        ? undefined
        : this.#translateInScope(meant.scope, withoutApplicators(record));
    }
    return this.define(meant, this.dynamic);
  }

  /** Returns true for a cycle on which a validator would never terminate: see `InPlaceGraph`. */
  #isCycle(target: Location): boolean {
    const { inPlace, budget } = this.context;
    const leadsBack = inPlace.reaches(target, this.root.value, this.union);
    budget.spend(inPlace.visited >> 4, this);
    return leadsBack;
  }

  #translateInScope(scope: Scope, node: JsonRecord): Translated | undefined {
    const outer = this.scope;
    this.scope = scope;
    const result = this.translate(node);
    this.scope = outer;
    return result;
  }
}

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
function findParentAlone(
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
