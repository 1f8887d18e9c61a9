import type { JsonSchema } from "@toolweave/core";
import { isRecord, ownString, getReference, type JsonRecord } from "../document/record.ts";
import { DanglingReference, type OperationError } from "../document/operation.ts";
import type { DynamicScope } from "../document/references/dynamic-scope.ts";
import { withValue, type Location, type Scope } from "../document/references/location.ts";
import { withoutApplicators } from "./in-place-graph.ts";
import { alignValues } from "./align-values.ts";
import {
  getNumericLimit,
  isAnnotation,
  isOldDialect,
  isRounded,
  isTypeLimit,
  translateType,
  type LimitKeyword,
} from "./schema-keywords.ts";
import { findRefusedNames, getUnopened, toOpened } from "./opened-schemas.ts";
import { AccessFilter, type SchemaMode } from "./property-access.ts";
import type { TranslationContext, Definition } from "./translation-context.ts";
import { selectTags, applyTag } from "./discriminator.ts";
import type { SchemaFamily } from "./polymorphic-parents.ts";
import { readPropertyValues } from "./property-values.ts";
import { childPointer, isCheckablePattern, visibleText } from "@toolweave/core/adapter";
import { referenceError } from "../document/references/resolve-reference.ts";
import { toUnicodePattern } from "./unicode-pattern.ts";

export type Translated = JsonSchema | boolean;

/** Levels of a schema. Ajv compiles a few more than that with the default stack of Node.js. */
const maxDepth = 400;
const maxNodes = 200_000;
const maxTypeParts = 50;

/** The position of a translation in its schema, the number of schemas read, and the findings. */
abstract class TranslationPosition {
  /** The scope of references in the current schema. */
  scope: Scope;
  protected readonly root: Location;
  protected readonly mode: SchemaMode;
  protected readonly context: TranslationContext;
  protected readonly access: AccessFilter;
  protected readonly path: (string | number)[] = [];
  protected references: Set<Definition> | undefined;
  /** Its depth: keywords and names. */
  protected depth = 0;
  /** Hidden or invalid characters were removed from a text. */
  protected cleaned = false;
  #nodes = 0;

  constructor(root: Location, mode: SchemaMode, context: TranslationContext) {
    this.root = root;
    this.mode = mode;
    this.context = context;
    this.access = new AccessFilter(mode, context, context.resolver);
    this.scope = root.scope;
  }

  /** The location of the current schema. */
  get pointer(): string {
    return this.path.reduce<string>(childPointer, this.root.pointer);
  }

  protected get isSent(): boolean {
    return this.mode !== "response";
  }

  /**
   * Counts one more schema.
   *
   * @throws {OperationError} there are too many, or they are nested too deeply.
   */
  protected enter({ pattern, patternProperties }: JsonRecord): void {
    if (pattern !== undefined) this.#checkPattern(pattern);
    if (isRecord(patternProperties))
      Object.keys(patternProperties).forEach((name) => this.#checkPattern(name));
    if (++this.#nodes > maxNodes) throw this.error(`the schema has more than ${maxNodes} parts`);
    this.context.budget.spend(1, this);
    if (this.path.length <= this.depth) return;
    this.depth = this.path.length;
    if (this.depth > maxDepth) {
      throw this.error(`the schema is nested deeper than ${maxDepth} levels`);
    }
  }

  /** Creates a definition of a schema, and returns a reference to it. */
  protected define(target: Location, outer: DynamicScope | undefined): JsonSchema {
    const dynamic = this.context.resolver.enter(target, outer);
    const definition = this.context.definition(target, dynamic);
    this.references ??= new Set();
    this.references.add(definition);
    return definition.reference;
  }

  /** Handles `nullable` of OpenAPI 3.0, and `x-nullable`, which replaces it in Swagger 2.0. */
  protected isNullable(node: JsonRecord): boolean {
    return (
      node["nullable"] === true || (this.context.version === "2.0" && node["x-nullable"] === true)
    );
  }

  /** Returns a title or description without invisible characters. */
  protected toVisibleText(value: unknown): string | undefined {
    if (typeof value !== "string") return undefined;
    const visible = visibleText(value);
    if (visible !== value) this.cleaned = true;
    return visible;
  }

  /** Reports a pattern that values are not checked against. */
  #checkPattern(pattern: unknown): void {
    if (typeof pattern !== "string") return;
    const written = toUnicodePattern(pattern);
    if (written !== undefined && isCheckablePattern(written)) return;
    const formatted = JSON.stringify(visibleText(pattern.slice(0, 100)));
    const reason =
      written === undefined ? "is not a regular expression" : "cannot be checked in bounded time";
    this.context.warn(
      `The pattern ${formatted} ${reason}: values are not checked against it.`,
      this,
    );
  }

  /** Omits values that may be rounded: the model must not choose among wrong ones. */
  protected omitRounded(key: string): undefined {
    this.context.warn(
      `${key} has integers beyond 2^53, which parsers of JSON and YAML round. It is omitted, so that only the API checks the value: name the choices in the description.`,
      this,
    );
    return undefined;
  }

  /** Returns a limit, and reports one that may be rounded. */
  protected translateLimit(
    key: LimitKeyword,
    value: unknown,
    node: JsonRecord,
  ): number | undefined {
    const limit = getNumericLimit(key, value, node);
    if (limit !== undefined && isRounded(limit) && !isTypeLimit(limit)) {
      this.context.warn(
        `Parsers of JSON and YAML round integers beyond 2^53, such as its ${key}, which is read as ${limit}: only the API checks values next to it.`,
        this,
      );
    }
    return limit;
  }

  protected error(reason: string): OperationError {
    return referenceError(this, reason);
  }
}

/** Resolves the references of a schema that is being translated. */
export abstract class ReferenceTranslation extends TranslationPosition {
  protected dynamic: DynamicScope | undefined;
  /** True if keywords beside references are ignored: in versions before 3.1, and dialects before 2019-09. */
  protected replaces: boolean;
  /** References that point to nothing. */
  protected readonly dangling: DanglingReference[] = [];
  protected isExact = false; // The current schema must not accept more than the document declares.
  /** True if `additionalProperties: false` of the current schema counts the properties of a whole composition. */
  protected isOpened = false;
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
    const closed = parent ?? target;
    const meant = this.isOpened ? withValue(closed, toOpened(closed.value as JsonRecord)) : closed;
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
    const start = withValue(target, getUnopened(target.value) ?? target.value);
    const root = getUnopened(this.root.value) ?? this.root.value;
    const leadsBack = inPlace.reaches(start, root, this.union);
    budget.spend(inPlace.visited >> 4, this);
    return leadsBack;
  }

  /**
   * Returns a schema with its values in the types that it allows: see `alignValues`.
   *
   * @param enclosing the schemas of which it is a part.
   */
  protected withAlignedValues(node: JsonRecord, enclosing: readonly JsonRecord[]): JsonRecord {
    if (this.isExact) return node;
    const isOwn = node["type"] !== undefined;
    const own = isOwn ? translateType(node["type"]) : undefined;
    const types = own === undefined ? this.#findTypes([node, ...enclosing]) : toTypes(own);
    const aligned = types === undefined ? undefined : alignValues(node, types, isOwn);
    if (aligned === undefined) return node;
    this.context.warn(aligned.message, this);
    return { ...node, ...aligned.keywords };
  }

  /** Returns the types of a value: those of the first schema that names some. */
  #findTypes(schemas: readonly JsonRecord[]): readonly string[] | undefined {
    const open = schemas.map((value): Pick<Location, "value" | "scope"> => ({
      value,
      scope: this.scope,
    }));
    for (const { value, scope } of open) {
      if (!isRecord(value) || open.length > maxTypeParts) continue;
      const types = translateType(value["type"]);
      if (types !== undefined) return toTypes(types);
      const target = this.context.resolver.peek(value, scope);
      if (target !== undefined) open.push(target);
      const { allOf } = value;
      if (Array.isArray(allOf))
        open.push(...allOf.map((part: unknown) => ({ value: part, scope })));
    }
    return undefined;
  }

  /**
   * Returns true if the schemas of which a schema is composed refuse each other's properties, and are read as one: see
   * `findRefusedNames`.
   */
  protected mustOpen(node: JsonRecord): boolean {
    if (this.isOpened || this.isExact || (this.replaces && node["$ref"] !== undefined))
      return false;
    const refused = findRefusedNames(node, this.scope, this.context.resolver);
    if (refused.size === 0) return false;
    const names = [...refused]
      .slice(0, 5)
      .map((name) => JSON.stringify(visibleText(name).slice(0, 60)));
    const more = refused.size > names.length ? ", …" : "";
    this.context.warn(
      `additionalProperties: false of one schema refuses properties that another one of the same composition declares (${names.join(", ")}${more}). It is read as counting the properties of all of them.`,
      this,
    );
    return true;
  }

  #translateInScope(scope: Scope, node: JsonRecord): Translated | undefined {
    const outer = this.scope;
    this.scope = scope;
    const result = this.translate(node);
    this.scope = outer;
    return result;
  }
}

/** Returns the types that a translated keyword `type` names. */
function toTypes(type: unknown): readonly string[] {
  return typeof type === "string" ? [type] : (type as readonly string[]);
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
