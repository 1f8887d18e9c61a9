import type { JsonSchema, JsonValue } from "@toolweave/core";
import { setOwn } from "../document/record.ts";
import {
  toChoices,
  removeDuplicates,
  isPlain,
  isShort,
  omissionMark,
  type DescribeSchema,
  type ModelNode as Node,
} from "./schema-parts.ts";
import { isNested, outlineSchema, SchemaShapes, type SchemaShape } from "./schema-shape.ts";

type Schema = JsonSchema | boolean;

const maxLevels = 6;
/** Maximum number of characters of the names that replace properties. */
const maxNamesLength = 800;

/** A node to which keywords can still be added. */
interface Place {
  readonly node: Node;
  readonly shape: SchemaShape;
  readonly name: string;
}

/**
 * Fills the arguments of a schema that are objects, lists or unions with as much as fits, level by level: first names,
 * types and `required` of properties, then choices and constraints, then the differences between the branches of a
 * union, then descriptions. `[…]` replaces omitted parts. The result accepts everything that the input schema accepts.
 *
 * @param full the schema against which arguments are validated.
 * @param shown the abridged schema so far; its plain arguments are not changed.
 * @param size maximum number of characters of the result, as JSON.
 * @param about the description of the result if any part of it is omitted.
 */
export function fillSchema(
  full: JsonSchema,
  abridged: JsonSchema,
  size: number,
  describe: DescribeSchema,
  about: string,
): JsonSchema {
  const { $defs: _, description: __, ...more } = abridged;
  const properties: Node = {};
  const result: Node = { description: about, ...more, properties };
  const shapes = new SchemaShapes(new Map(Object.entries((full["$defs"] ?? {}) as Node)) as never);
  const places: Place[] = [];
  for (const [name, given] of Object.entries(full["properties"] as Record<string, Schema>)) {
    if (typeof given === "boolean" || isPlain(given)) {
      setOwn(properties, name, (abridged["properties"] as Node)[name]);
      continue;
    }
    const shape = shapes.getShape(given);
    const node = outlineSchema(shape);
    const text = describe(given, 1, name);
    if (text !== "") node["description"] = isNested(shape) ? `${text} ${omissionMark}` : text;
    setOwn(properties, name, node);
    places.push({ node, shape, name });
  }
  new Filling(shapes, describe, size - JSON.stringify(result).length).run(places);
  if (!JSON.stringify(properties).includes(omissionMark)) delete result["description"];
  return result;
}

class Filling {
  readonly #shapes: SchemaShapes;
  readonly #describe: DescribeSchema;
  /** Remaining characters. */
  #remaining: number;

  constructor(shapes: SchemaShapes, describe: DescribeSchema, room: number) {
    this.#shapes = shapes;
    this.#describe = describe;
    this.#remaining = room;
  }

  run(roots: readonly Place[]): void {
    let places = roots;
    for (const place of roots) this.#addKeywords(place);
    for (let depth = 2; depth <= maxLevels && places.length > 0; depth++) {
      const children: Place[] = [];
      for (const [index, place] of places.entries()) {
        // Each place may take its share of the remaining characters, and those that the places before it did not need.
        this.#addMembers(place, this.#remaining / (places.length - index), children);
      }
      for (const child of children) this.#addKeywords(child);
      for (const place of places) this.#addBranches(place);
      for (const child of children) this.#addDescription(child, depth);
      places = children.filter(({ shape }) => isNested(shape));
    }
  }

  #addMembers(place: Place, share: number, children: Place[]): void {
    const { shape, node } = place;
    const minRoom = this.#remaining - share;
    for (const keyword of ["items", "additional", "content"] as const) {
      const schema = shape[keyword];
      const isPresent = node[memberKeywords[keyword]] !== undefined;
      if (schema === undefined || isPresent) continue;
      if (keyword === "additional" && shape.properties.size > 0) continue;
      const child = this.#child(schema, place.name);
      if (Object.keys(child.node).length === 0) continue;
      if (this.#setIfFits(node, memberKeywords[keyword], child.node, minRoom)) children.push(child);
    }
    const rest = this.#addProperties(place, minRoom, children);
    const isWhole = rest.length === 0 && !shape.isPartial;
    if (isWhole) this.#removeMark(node);
    else this.#addNames(node, rest);
  }

  /** @returns the names of the properties that do not fit. */
  #addProperties({ shape, node }: Place, minRoom: number, children: Place[]): readonly string[] {
    const { properties, required } = shape;
    const names = [...properties.keys()];
    const ordered = [
      ...names.filter((name) => required.has(name)),
      ...names.filter((name) => !required.has(name)),
    ];
    const length = names.reduce((sum, name) => sum + name.length + 2, 0);
    // If the properties do not fit with their types, characters are reserved for their names.
    const kept =
      length + 20 * names.length > this.#remaining - minRoom ? Math.min(length, maxNamesLength) : 0;
    const added: Node = {};
    const needed: string[] = [];
    const rest: string[] = [];
    for (const name of ordered) {
      const child = this.#child(properties.get(name) as Schema, name);
      const isRequired = required.has(name);
      const cost = jsonLength(child.node) + (isRequired ? 2 : 1) * (jsonLength(name) + 2);
      const overhead = Object.keys(added).length > 0 ? 0 : required.size > 0 ? 32 : 17;
      if (this.#remaining - cost - overhead < minRoom + kept) {
        rest.push(name);
        continue;
      }
      this.#remaining -= cost + overhead;
      setOwn(added, name, child.node);
      if (isRequired) needed.push(name);
      children.push(child);
    }
    if (Object.keys(added).length > 0) node["properties"] = added;
    for (const name of required) {
      if (properties.has(name)) continue;
      this.#remaining -= jsonLength(name) + 20;
      if (this.#remaining < 0) break;
      needed.push(name);
    }
    if (needed.length > 0) node["required"] = needed;
    return rest;
  }

  #child(schema: Schema, name: string): Place {
    const shape = this.#shapes.getShape(schema);
    const node = outlineSchema(shape);
    return { node, shape, name };
  }

  #addKeywords({ node, shape }: Place): void {
    const { values, types, keywords } = shape;
    if (values !== undefined && node["enum"] === undefined) {
      const type = types?.length === 1 ? (types[0] as string) : undefined;
      const some = toChoices(values, type);
      const isWhole = some["enum"] !== undefined || isShort([...values], this.#remaining / 2);
      if (isWhole) this.#setIfFits(node, "enum", values);
      else this.#addText(node, some["description"] as string);
    }
    for (const keyword in keywords) this.#setIfFits(node, keyword, keywords[keyword] as JsonValue);
    const { items } = shape;
    const inner = node["items"];
    if (items === undefined || inner !== undefined) return;
    // A list of plain values is as short as its replacement.
    const child = this.#child(items, "");
    if (isNested(child.shape) || shape.isPartial) return;
    if (this.#setIfFits(node, "items", child.node)) {
      this.#addKeywords(child);
      this.#removeMark(node);
    }
  }

  /** Adds the differences between the branches of a union: for all branches or for none. */
  #addBranches({ node, shape }: Place): void {
    const { branches, properties, required } = shape;
    if (branches.length < 2) return;
    const parts = branches.map((branch) => {
      const own: Node = {};
      for (const [name, schema] of branch.properties) {
        const inner = this.#shapes.getShape(schema);
        const isCommon = properties.get(name) !== true;
        if (isCommon && (inner.values === undefined || inner.values.length > 3)) continue;
        const outline = outlineSchema(inner);
        setOwn(own, name, isCommon ? { enum: inner.values as JsonValue } : outline);
      }
      const needed = [...branch.required].filter((name) => !required.has(name));
      return {
        ...(Object.keys(own).length === 0 ? {} : { properties: own }),
        ...(needed.length === 0 ? {} : { required: needed }),
      };
    });
    const some = removeDuplicates(parts);
    const isDistinguishing = some.length > 1 && some.every((part) => Object.keys(part).length > 0);
    if (!isDistinguishing || !this.#setIfFits(node, "anyOf", some, this.#remaining / 2)) return;
    const listed = node["properties"] as Node | undefined;
    for (const [name, schema] of properties) {
      if (schema !== true || listed === undefined || !Object.hasOwn(listed, name)) continue;
      this.#remaining += jsonLength(listed[name] as JsonValue) + jsonLength(name) + 2;
      delete listed[name];
    }
  }

  #addDescription({ node, shape, name }: Place, depth: number): void {
    const { described } = shape;
    const text = described === undefined ? "" : this.#describe(described, depth, name);
    if (text === "") return;
    this.#addText(node, text);
  }

  /** Prepends a text to the existing description, which may be the mark. */
  #addText(node: Node, text: string): void {
    const before = node["description"];
    this.#setIfFits(
      node,
      "description",
      before === undefined ? text : `${text} ${before as string}`,
    );
  }

  #addNames(node: Node, names: readonly string[]): void {
    let left = Math.min(maxNamesLength, this.#remaining);
    const some = names.filter((name) => (left -= jsonLength(name)) >= 0).join(", ");
    const before = (node["description"] ?? omissionMark) as string;
    const text = before.endsWith(omissionMark)
      ? before.slice(0, -omissionMark.length)
      : `${before} `;
    this.#setIfFits(
      node,
      "description",
      some === "" ? `${text}${omissionMark}` : `${text}${some} ${omissionMark}`,
    );
  }

  #removeMark(node: Node): void {
    const before = node["description"];
    if (typeof before !== "string" || !before.endsWith(omissionMark)) return;
    const text = before.slice(0, -omissionMark.length).trimEnd();
    this.#remaining += omissionMark.length + 1;
    if (text !== "") node["description"] = text;
    else {
      this.#remaining += '"description":""'.length;
      delete node["description"];
    }
  }

  /** Sets a keyword if at least `least` characters remain. */
  #setIfFits(node: Node, keyword: string, value: JsonValue, minRoom = 0): boolean {
    const before = node[keyword];
    const added = before === undefined ? jsonLength(keyword) + 2 : -jsonLength(before);
    if (this.#remaining - added - jsonLength(value) < minRoom) return false;
    this.#remaining -= added + jsonLength(value);
    node[keyword] = value;
    return true;
  }
}

const memberKeywords = {
  items: "items",
  additional: "additionalProperties",
  content: "contentSchema",
} as const;

function jsonLength(value: JsonValue): number {
  return JSON.stringify(value).length;
}
