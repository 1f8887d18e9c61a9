import type { JsonSchema, JsonValue } from "@toolweave/core";
import type { Definition } from "./definition.ts";
import { branchTags, tagged } from "./discriminator.ts";
import { dynamicReference } from "../document/references/dynamic-scope.ts";
import { childPointer } from "../document/references/json-pointer.ts";
import type { Location } from "../document/references/location.ts";
import { isOnlyNullable, makeNullable, refusesNull } from "./nullable.ts";
import { isOldDialect, splitDependencies } from "./older-dialects.ts";
import { DanglingReference } from "../document/operation.ts";
import { familySchema } from "./family-schema.ts";
import type { SchemaFamily } from "./polymorphic-parents.ts";
import { ReferenceTranslation, type Translated } from "./reference-translation.ts";
import { isRecord, ownString, getReference, setOwn, type JsonRecord } from "../document/record.ts";
import { RecordCopy } from "../document/record-copy.ts";
import {
  choices,
  isAnnotation,
  isUnconstrained,
  isBounded,
  isDistinct,
  keywordTranslation,
  numericBound,
} from "./schema-keywords.ts";
import type { TranslatedSchema } from "./translation-context.ts";
import { unicodePattern } from "./unicode-pattern.ts";

const anything: JsonSchema = Object.freeze({});
const onlyNull: JsonSchema = Object.freeze({ type: "null" });
const none: readonly Definition[] = [];

/** The translation of one schema: see `translateSchema`. */
export class SchemaTranslation extends ReferenceTranslation {
  #isExact = false; // The schema in hand must not accept more than the document says.
  /** The schemas of which the one in hand is a part: what they hide, it must not require. */
  #wholes: readonly JsonRecord[] = [];

  run(): TranslatedSchema {
    const schema = this.schema(this.root.value) ?? anything;
    const isShared = schema === anything || typeof schema === "boolean";
    return {
      // What is wrong with it is kept with the schema itself.
      schema: isShared && this.dangling.length > 0 ? {} : schema,
      references: this.references === undefined ? none : [...this.references],
      sameInBothModes: this.access.sameInBothModes,
      depth: this.depth,
      cleaned: this.cleaned,
      endless: this.leftOut && isUnconstrained(schema),
      dangling: this.dangling,
    };
  }

  /** Undefined: a branch that adds nothing. */
  protected override schema(node: unknown): Translated | undefined {
    if (typeof node === "boolean") return node;
    if (node === null || node === undefined) return anything;
    if (!isRecord(node)) throw this.fault("a schema must be an object");
    this.enter(node);
    const outer = this.scope;
    const dynamic = this.dynamic;
    const replaces = this.replaces;
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
    const reference = getReference(node);
    const family = this.isSent ? this.context.parents.familyOf(node, this) : undefined;
    const result =
      family !== undefined
        ? this.#polymorphic(node, family)
        : reference !== undefined
          ? this.#referring(node, this.target(reference))
          : this.context.siblingsCount && dynamicReference(node) !== undefined
            ? this.#referring(node, this.dynamicTarget(dynamicReference(node) as string))
            : this.#keywords(node);
    this.scope = outer;
    this.dynamic = dynamic;
    this.replaces = replaces;
    return result;
  }

  #referring(node: JsonRecord, target: Translated | undefined): Translated | undefined {
    if (target === undefined || target === false) return target;
    const rest = this.#keywords(node, true);
    if (target === true) return rest;
    // An extension is not one of the members beside a reference that Swagger 2.0 ignores.
    const isNullableReference = this.context.version === "2.0" && node["x-nullable"] === true;
    if (rest === anything || typeof rest === "boolean") {
      return isNullableReference ? makeNullable(target) : target;
    }
    const { $ref } = target;
    const result: JsonSchema = $ref === undefined ? { allOf: [target, rest] } : { $ref, ...rest };
    const isNullable = this.replaces ? isNullableReference : node["nullable"] === true;
    return isNullable ? makeNullable(result) : result;
  }

  /** A parent with a discriminator: its children, each with the values that select it, or the parent alone. */
  #polymorphic(node: JsonRecord, family: SchemaFamily): Translated {
    this.access.sameInBothModes = false;
    const about = Object.fromEntries(Object.entries(node).filter(([key]) => isAnnotation(key)));
    const alternatives = familySchema(node, family, this.mode, this, this.context, (location) =>
      this.define(location, this.dynamic),
    );
    const schema: JsonSchema = { ...(this.#keywords(about) as JsonSchema), ...alternatives };
    return this.isNullable(node) ? makeNullable(schema) : schema;
  }

  #keywords(node: JsonRecord, besideReference = false): Translated {
    const annotationsOnly = besideReference && this.replaces;
    const copy = new RecordCopy(node);
    for (const key in node) {
      const isKept = !annotationsOnly || isAnnotation(key);
      copy.set(key, isKept ? this.#keyword(node, key, node[key]) : undefined);
    }
    const { result } = copy;
    if (result === undefined) return this.#withOpenChoice(node as JsonSchema);
    const schema = this.#withOpenChoice(this.#complete(node, result, besideReference));
    return besideReference && Object.keys(schema).length === 0 ? anything : schema;
  }

  #withOpenChoice(schema: JsonSchema): JsonSchema {
    if (schema["oneOf"] === undefined || !this.isSent || this.#isExact) return schema;
    this.access.sameInBothModes = false;
    return withOpenChoice(schema);
  }

  /** The keywords of older versions that become another keyword. */
  #complete(
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
      const items = this.#branches("items", node["items"], node);
      if (items !== undefined) result["prefixItems"] = items;
      if (node["additionalItems"] !== undefined) {
        result["items"] = this.#below("additionalItems", node["additionalItems"]);
      }
    }
    if (isRecord(node["dependencies"])) {
      const { names, schemas } = splitDependencies(node["dependencies"]);
      const translated = this.#named("dependencies", schemas, node, false);
      if (node["dependentSchemas"] === undefined) result["dependentSchemas"] = translated;
      if (node["dependentRequired"] === undefined) result["dependentRequired"] = names;
    }
    const schema = result as JsonSchema;
    if (!this.isNullable(node) || besideReference) return schema;
    if (!refusesNull(schema)) return makeNullable(schema);
    this.access.sameInBothModes = false;
    return this.isSent ? schema : makeNullable(schema);
  }

  #keyword(node: JsonRecord, key: string, value: unknown): unknown {
    const translation = keywordTranslation(key);
    if (translation === undefined || typeof translation === "function") return translation?.(value);
    switch (translation) {
      case "items":
        return Array.isArray(value) ? undefined : this.#below(key, value);
      case "schema":
        return key === "contains"
          ? this.#exactly(() => this.#below(key, value))
          : this.#below(key, value);
      case "data":
        if (!isBounded(value)) throw this.fault(`its ${key} is nested too deeply or too large`);
        return key === "enum" ? choices(value) : value;
      case "required":
        return this.#required(node, value);
      case "wording":
        return this.wording(value);
      case "branches":
      case "tuple":
        return this.#branches(key, value, node);
      case "condition": {
        const known = this.dangling.length;
        const isCondition = key === "not" || key === "if";
        const schema = isCondition
          ? this.#exactly(() => this.#applied(key, value, node, false))
          : this.#applied(key, value, node, false);
        // What is not known of a condition must refuse nothing.
        return this.dangling.length > known && isCondition ? undefined : schema;
      }
      case "named":
      case "conditionsByName":
        return this.#named(key, value, node, translation === "named");
      default:
        return numericBound(translation, value, node);
    }
  }

  /** A schema for another value: a property, an item. */
  #below(key: string | number, value: unknown): Translated | undefined {
    if (value === null) return undefined;
    const inPlace = this.inPlace;
    const wholes = this.#wholes;
    this.inPlace = false;
    this.#wholes = [];
    this.path.push(key);
    const result = this.schema(value);
    this.path.pop();
    this.inPlace = inPlace;
    this.#wholes = wholes;
    return result;
  }

  /** A schema for the same value. */
  #applied(
    key: string | number,
    value: unknown,
    whole: JsonRecord,
    union: boolean,
  ): Translated | undefined {
    const wholes = this.#wholes;
    const outer = this.union;
    this.#wholes = [...wholes, whole];
    this.union = union;
    this.path.push(key);
    const result = this.schema(value);
    this.path.pop();
    this.union = outer;
    this.#wholes = wholes;
    return result;
  }

  /** A schema of which it matters what it refuses. */
  #exactly<Result>(translate: () => Result): Result {
    const outer = this.#isExact;
    this.#isExact = true;
    const result = translate();
    this.#isExact = outer;
    return result;
  }

  #branches(key: string, value: unknown, node: JsonRecord): unknown {
    if (!Array.isArray(value) || value.length === 0) return undefined;
    const union = key === "oneOf" || key === "anyOf";
    const tuple = key === "items" || key === "prefixItems";
    let copy: unknown[] | undefined;
    const known = this.dangling.length;
    const anyValue: number[] = [];
    const hasTags = union && isRecord(node["discriminator"]);
    const property = hasTags ? ownString(node["discriminator"], "propertyName") : undefined;
    const tags = hasTags ? branchTags(node, value, this, this.context) : [];
    this.path.push(key);
    for (let index = 0; index < value.length; index++) {
      const branch: unknown = value[index];
      const before = this.dangling.length;
      const isNull = union && value.length > 1 && isRecord(branch) && isOnlyNullable(branch);
      let next = isNull
        ? onlyNull
        : tuple
          ? (this.#below(index, branch) ?? anything)
          : this.#applied(index, branch, node, union);
      if (typeof next === "object" && property !== undefined) {
        next = tagged(next, property, tags[index]);
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
      return otherwise(copy, anyValue);
    }
    return copy === undefined ? value : copy.length === 0 ? undefined : copy;
  }

  #named(key: string, value: unknown, node: JsonRecord, below: boolean): unknown {
    if (!isRecord(value)) return undefined;
    const reference = below ? getReference(value) : undefined;
    if (reference !== undefined) return this.#namedElsewhere(key, value, node);
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
            ? (this.#below(name, schema) ?? anything)
            : this.#applied(name, schema, node, false);
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

  /** The name that a member of `properties` and the like has in 2020-12; undefined: it is left out. */
  #memberName(key: string, name: string, schema: unknown, node: JsonRecord): string | undefined {
    if (key === "properties") {
      const schemas = this.#schemasAround(node);
      return this.access.hides(name, schema, schemas, this.scope) ? undefined : name;
    }
    return key === "patternProperties" ? unicodePattern(name) : name;
  }

  /** `properties` that are a reference themselves: no version knows that, but bundlers do. */
  #namedElsewhere(key: string, value: JsonRecord, node: JsonRecord): unknown {
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
    const result = this.#named(key, target.value, node, true);
    this.scope = outer;
    return result;
  }

  #required(node: JsonRecord, value: unknown): unknown {
    if (!Array.isArray(value)) return undefined;
    const schemas = this.#schemasAround(node);
    const keeps = (name: unknown) =>
      typeof name === "string" && !this.access.hidesName(name, schemas, this.scope);
    if (isDistinct(value) && value.every(keeps)) return value.length === 0 ? undefined : value;
    const names = [...new Set(value)].filter(keeps);
    return names.length === 0 ? undefined : names;
  }

  /** A schema, and those that it is a part of. */
  #schemasAround(node: JsonRecord): readonly JsonRecord[] {
    return this.#wholes.length === 0 ? [node] : [node, ...this.#wholes];
  }
}

/** The branches of `oneOf`, with those that accept anything for what no other does: more than one would hold else. */
function otherwise(branches: readonly unknown[], anyValue: readonly number[]): unknown[] {
  const known = branches.filter((_, index) => !anyValue.includes(index));
  if (anyValue.length === 0) return known;
  return [...known, known.length === 0 ? true : { not: { anyOf: known } }];
}

/**
 * A schema whose `oneOf` has become `anyOf`. What is sent may have several of the shapes: documents have branches that
 * overlap, and a value that more than one of them allows is not wrong for that.
 */
function withOpenChoice(schema: JsonSchema): JsonSchema {
  const { oneOf, anyOf, allOf } = schema;
  const open: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key !== "oneOf") setOwn(open, key, value);
    else if (anyOf === undefined) open["anyOf"] = value;
  }
  if (anyOf !== undefined) {
    open["allOf"] = [...((allOf ?? []) as JsonValue[]), { anyOf: oneOf as JsonValue }];
  }
  return open;
}
