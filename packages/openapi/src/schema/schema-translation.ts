import type { JsonSchema } from "@toolweave/core";
import { childPointer } from "@toolweave/core/adapter";
import type { Definition, TranslatedSchema } from "./translation-context.ts";
import { getBranchTags, applyTag } from "./discriminator.ts";
import { getDynamicReference } from "../document/references/dynamic-scope.ts";
import type { Location } from "../document/references/location.ts";
import { getUnopened } from "./opened-schemas.ts";
import { isOnlyNullable, makeNullable, refusesNull } from "./nullable.ts";
import {
  isOldDialect,
  splitDependencies,
  choices,
  isRounded,
  isAnnotation,
  isUnconstrained,
  isBounded,
  isDistinct,
  getKeywordTranslation,
  oneOfToAnyOf,
  withExclusiveBranches,
} from "./schema-keywords.ts";
import { DanglingReference } from "../document/operation.ts";
import { toFamilySchema, ReferenceTranslation, type Translated } from "./reference-translation.ts";
import type { SchemaFamily } from "./polymorphic-parents.ts";
import {
  isRecord,
  ownString,
  getReference,
  setOwn,
  RecordCopy,
  type JsonRecord,
  toText,
} from "../document/record.ts";
import { toUnicodePattern } from "./unicode-pattern.ts";

const anything: JsonSchema = Object.freeze({});
const onlyNull: JsonSchema = Object.freeze({ type: "null" });
const none: readonly Definition[] = [];

/** The translation of one schema: see `translateSchema`. */
export class SchemaTranslation extends ReferenceTranslation {
  /** The schemas of which the current one is a part: it must not require the properties that they omit. */
  #enclosing: readonly JsonRecord[] = [];

  run(): TranslatedSchema {
    this.isOpened = getUnopened(this.root.value) !== undefined;
    const schema = this.translate(this.root.value) ?? anything;
    const isShared = schema === anything || typeof schema === "boolean";
    return {
      // Defects are recorded by schema, so a shared object is replaced by a new one.
      schema: isShared && this.dangling.length > 0 ? {} : schema,
      references: this.references === undefined ? none : [...this.references],
      sameInBothModes: this.access.sameInBothModes,
      depth: this.depth,
      cleaned: this.cleaned,
      endless: this.hasOmissions && isUnconstrained(schema),
      dangling: this.dangling,
    };
  }

  /** Translates a schema. Undefined: a branch that adds nothing. */
  protected override translate(node: unknown): Translated | undefined {
    if (typeof node === "boolean") return node;
    if (node === null || node === undefined) return anything;
    if (!isRecord(node)) throw this.error("a schema must be an object");
    this.enter(node);
    const { scope: outer, dynamic, replaces } = this;
    if (node["$id"] !== undefined) {
      this.scope = this.context.resolver.scopeAt(outer, node, this.pointer);
      if (this.scope !== outer) {
        const here = { value: node, scope: this.scope, pointer: "" };
        this.dynamic = this.context.resolver.enter(here, dynamic);
      }
    }
    if (node["$schema"] !== undefined && this.context.siblingsCount) {
      this.replaces = isOldDialect(node["$schema"]);
    }
    const hasValues = node["enum"] !== undefined || node["const"] !== undefined;
    const aligned = hasValues ? this.withAlignedValues(node, this.#enclosing) : node;
    const result = this.#translateNode(aligned);
    this.scope = outer;
    this.dynamic = dynamic;
    this.replaces = replaces;
    return result;
  }

  #translateNode(node: JsonRecord): Translated | undefined {
    const family = this.isSent ? this.context.parents.getFamily(node, this) : undefined;
    if (family !== undefined) return this.#translateFamily(node, family);
    const { $ref, allOf, anyOf, oneOf } = node;
    const mustOpen = ($ref ?? allOf ?? anyOf ?? oneOf) !== undefined && this.mustOpen(node);
    if (mustOpen) this.isOpened = true;
    const reference = getReference(node);
    const dynamic =
      reference === undefined && this.context.siblingsCount ? getDynamicReference(node) : undefined;
    const result =
      reference !== undefined
        ? this.#combineWithSiblings(node, this.translateReference(reference))
        : dynamic !== undefined
          ? this.#combineWithSiblings(node, this.translateDynamicReference(dynamic))
          : this.#translateKeywords(node);
    if (!mustOpen) return result;
    this.isOpened = false;
    return typeof result === "object" ? { ...result, unevaluatedProperties: false } : result;
  }

  #combineWithSiblings(node: JsonRecord, target: Translated | undefined): Translated | undefined {
    if (target === undefined || target === false) return target;
    const rest = this.#translateKeywords(node, true);
    if (target === true) return rest;
    // Versions before 3.1 ignore keywords beside a reference. This one can only mean that null is a value, and authors
    // write it.
    const isNullable = this.isNullable(node);
    if (rest === anything || typeof rest === "boolean") {
      return isNullable ? makeNullable(target) : target;
    }
    const { $ref } = target;
    const result: JsonSchema = $ref === undefined ? { allOf: [target, rest] } : { $ref, ...rest };
    return isNullable ? makeNullable(result) : result;
  }

  /**
   * Translates a parent with a discriminator to its children, each with the values that select it, or the parent alone.
   */
  #translateFamily(node: JsonRecord, family: SchemaFamily): Translated {
    this.access.sameInBothModes = false;
    const about = Object.fromEntries(Object.entries(node).filter(([key]) => isAnnotation(key)));
    const alternatives = toFamilySchema(node, family, this.mode, this, this.context, (location) =>
      this.define(location, this.dynamic),
    );
    const schema: JsonSchema = {
      ...(this.#translateKeywords(about) as JsonSchema),
      ...alternatives,
    };
    return this.isNullable(node) ? makeNullable(schema) : schema;
  }

  #translateKeywords(node: JsonRecord, besideReference = false): Translated {
    const annotationsOnly = besideReference && this.replaces;
    const copy = new RecordCopy(node);
    for (const key in node) {
      const isIncluded = !annotationsOnly || isAnnotation(key);
      copy.set(key, isIncluded ? this.#translateKeyword(node, key, node[key]) : undefined);
    }
    if (!annotationsOnly && this.isSent && !this.isExact) this.#addOmitted(node, copy);
    const { result } = copy;
    if (result === undefined) return this.#oneOfToAnyOf(node as JsonSchema);
    const schema = this.#oneOfToAnyOf(this.#addReplacements(node, result, besideReference));
    return besideReference && Object.keys(schema).length === 0 ? anything : schema;
  }

  /** Adds the properties that a schema requires and the schema that declares them omits. */
  #addOmitted(node: JsonRecord, copy: RecordCopy): void {
    const omitted = this.access.findOmitted(node, this.#enclosingSchemas(node), this.scope);
    if (omitted.size === 0) return;
    const properties: Record<string, unknown> = {
      ...((copy.result ?? node)["properties"] as object),
    };
    for (const [name, location] of omitted) {
      setOwn(properties, name, this.define(location, this.dynamic));
    }
    copy.result = { ...(copy.result ?? node), properties };
  }

  #oneOfToAnyOf(schema: JsonSchema): JsonSchema {
    if (schema["oneOf"] === undefined || !this.isSent || this.isExact) return schema;
    this.access.sameInBothModes = false;
    return oneOfToAnyOf(schema);
  }

  /** Adds the replacements of keywords of older versions. */
  #addReplacements(
    node: JsonRecord,
    result: Record<string, unknown>,
    besideReference: boolean,
  ): JsonSchema {
    if (
      node["example"] !== undefined &&
      result["examples"] === undefined &&
      isBounded(node["example"])
    ) {
      result["examples"] = [node["example"]];
    }
    if (besideReference && this.replaces) return result as JsonSchema;
    if (node["type"] === "file" && result["format"] === undefined) result["format"] = "binary";
    if (Array.isArray(node["items"]) && result["prefixItems"] === undefined) {
      const items = this.#translateBranches("items", node["items"], node);
      if (items !== undefined) result["prefixItems"] = items;
      if (node["additionalItems"] !== undefined) {
        result["items"] = this.#translateBelow("additionalItems", node["additionalItems"]);
      }
    }
    if (isRecord(node["dependencies"])) {
      const { names, schemas } = splitDependencies(node["dependencies"]);
      const translated = this.#translateNamed("dependencies", schemas, node, false);
      if (node["dependentSchemas"] === undefined) result["dependentSchemas"] = translated;
      if (node["dependentRequired"] === undefined) result["dependentRequired"] = names;
    }
    const schema = result as JsonSchema;
    if (!this.isNullable(node) || besideReference) return schema;
    if (!refusesNull(schema)) return makeNullable(schema);
    this.access.sameInBothModes = false;
    return this.isSent ? schema : makeNullable(schema);
  }

  #translateKeyword(node: JsonRecord, key: string, value: unknown): unknown {
    const translation = getKeywordTranslation(key);
    if (translation === undefined || typeof translation === "function") return translation?.(value);
    switch (translation) {
      case "items":
        return Array.isArray(value) ? undefined : this.#translateBelow(key, value);
      case "schema":
        if (this.isOpened && key === "additionalProperties" && value === false) return undefined;
        return key === "contains"
          ? this.#translateExactly(() => this.#translateBelow(key, value))
          : this.#translateBelow(key, value);
      case "data":
        if (!isBounded(value)) throw this.error(`its ${key} is nested too deeply or too large`);
        if (isRounded(value)) return this.omitRounded(key);
        return key === "enum" ? choices(value) : value;
      case "required":
        return this.#translateRequired(node, value);
      case "wording":
        return this.toVisibleText(value);
      case "branches":
      case "tuple":
        return this.#translateBranches(key, value, node);
      case "condition": {
        const known = this.dangling.length;
        const isCondition = key === "not" || key === "if";
        const schema = isCondition
          ? this.#translateExactly(() => this.#translateApplied(key, value, node, false))
          : this.#translateApplied(key, value, node, false);
        // A condition that is not fully known must not refuse any value.
        return this.dangling.length > known && isCondition ? undefined : schema;
      }
      case "named":
      case "conditionsByName":
        return this.#translateNamed(key, value, node, translation === "named");
      default:
        return this.translateLimit(translation, value, node);
    }
  }

  /** Translates a schema for another value: a property, an item. */
  #translateBelow(key: string | number, value: unknown): Translated | undefined {
    if (value === null) return undefined;
    const inPlace = this.inPlace;
    const wholes = this.#enclosing;
    const isOpened = this.isOpened;
    this.inPlace = false;
    this.isOpened = false;
    this.#enclosing = [];
    this.path.push(key);
    const result = this.translate(value);
    this.path.pop();
    this.inPlace = inPlace;
    this.isOpened = isOpened;
    this.#enclosing = wholes;
    return result;
  }

  /** Translates a schema for the same value. */
  #translateApplied(
    key: string | number,
    value: unknown,
    whole: JsonRecord,
    union: boolean,
  ): Translated | undefined {
    const wholes = this.#enclosing;
    const outer = this.union;
    this.#enclosing = [...wholes, whole];
    this.union = union;
    this.path.push(key);
    const result = this.translate(value);
    this.path.pop();
    this.union = outer;
    this.#enclosing = wholes;
    return result;
  }

  /** Translates a schema that must not accept more than the original. */
  #translateExactly<Result>(translate: () => Result): Result {
    const { isExact, isOpened } = this;
    this.isExact = true;
    this.isOpened = false;
    const result = translate();
    this.isExact = isExact;
    this.isOpened = isOpened;
    return result;
  }

  #translateBranches(key: string, value: unknown, node: JsonRecord): unknown {
    if (!Array.isArray(value) || value.length === 0) return undefined;
    const union = key === "oneOf" || key === "anyOf";
    const tuple = key === "items" || key === "prefixItems";
    let copy: unknown[] | undefined;
    const known = this.dangling.length;
    const anyValue: number[] = [];
    const hasTags = union && isRecord(node["discriminator"]);
    const property = hasTags ? ownString(node["discriminator"], "propertyName") : undefined;
    const tags = hasTags ? getBranchTags(node, value, this, this.context) : [];
    this.path.push(key);
    for (let index = 0; index < value.length; index++) {
      const branch: unknown = value[index];
      const before = this.dangling.length;
      const isNull = union && value.length > 1 && isRecord(branch) && isOnlyNullable(branch);
      let next = isNull
        ? onlyNull
        : tuple
          ? (this.#translateBelow(index, branch) ?? anything)
          : this.#translateApplied(index, branch, node, union);
      if (typeof next === "object" && property !== undefined) {
        next = applyTag(next, property, tags[index]);
      }
      if (next === branch && copy === undefined) continue;
      copy ??= value.slice(0, index);
      if (this.dangling.length > before && getReference(branch) !== undefined) {
        anyValue.push(copy.length);
      }
      if (next !== undefined) copy.push(next);
    }
    this.path.pop();
    if (key === "oneOf" && copy !== undefined && this.dangling.length > known) {
      return withExclusiveBranches(copy, anyValue);
    }
    return copy === undefined ? value : copy.length === 0 ? undefined : copy;
  }

  #translateNamed(key: string, value: unknown, node: JsonRecord, below: boolean): unknown {
    if (!isRecord(value)) return undefined;
    const reference = below ? getReference(value) : undefined;
    if (reference !== undefined) return this.#translateReferencedMembers(key, value, node);
    const copy = new RecordCopy(value);
    const renamed: [string, Translated][] = [];
    this.path.push(key);
    for (const name in value) {
      const schema = value[name];
      const written = this.#memberName(key, name, schema, node);
      const next =
        written === undefined
          ? undefined
          : below
            ? (this.#translateBelow(name, schema) ?? anything)
            : this.#translateApplied(name, schema, node, false);
      if (next !== undefined && written !== undefined && written !== name) {
        renamed.push([written, next]);
        copy.set(name, undefined);
      } else {
        copy.set(name, next);
      }
    }
    this.path.pop();
    if (renamed.length > 0) copy.result = { ...Object.fromEntries(renamed), ...copy.result };
    return copy.result ?? value;
  }

  /** Returns the name that a member of `properties` and similar keywords has in 2020-12; undefined: it is omitted. */
  #memberName(key: string, name: string, schema: unknown, node: JsonRecord): string | undefined {
    if (key === "properties") {
      const schemas = this.#enclosingSchemas(node);
      return this.access.hides(name, schema, schemas, this.scope) ? undefined : name;
    }
    return key === "patternProperties" ? toUnicodePattern(name) : name;
  }

  /** Resolves `properties` that are themselves a reference: no version allows that, but bundlers write it. */
  #translateReferencedMembers(key: string, value: JsonRecord, node: JsonRecord): unknown {
    const outer = this.scope;
    const from = { value, scope: outer, pointer: childPointer(this.pointer, key) };
    let target: Location;
    try {
      target = this.context.resolver.follow(from);
    } catch (error) {
      if (!(error instanceof DanglingReference)) throw error;
      this.dangling.push(error);
      return undefined;
    }
    this.scope = target.scope;
    const result = this.#translateNamed(key, target.value, node, true);
    this.scope = outer;
    return result;
  }

  #translateRequired(node: JsonRecord, value: unknown): unknown {
    if (!Array.isArray(value)) return undefined;
    const schemas = this.#enclosingSchemas(node);
    const keeps = (name: unknown) =>
      typeof name === "string" && !this.access.hidesName(name, schemas, this.scope);
    if (isDistinct(value) && value.every(keeps)) return value.length === 0 ? undefined : value;
    const names = new Set(value.map(toText).filter(keeps));
    return names.size === 0 ? undefined : [...names];
  }

  /** Returns a schema, and those of which it is a part. */
  #enclosingSchemas(node: JsonRecord): readonly JsonRecord[] {
    return this.#enclosing.length === 0 ? [node] : [node, ...this.#enclosing];
  }
}
