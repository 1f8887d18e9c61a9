import type { JsonSchema, JsonValue } from "@toolweave/core";
import { setOwn } from "../document/record.ts";
import type { DescribeSchema } from "./schema-descriptions.ts";
import { isNested, outlineSchema, SchemaShapes, type SchemaShape } from "./schema-shape.ts";
import {
  choices,
  distinct,
  isPlain,
  isShort,
  mark,
  type ModelNode as Node,
} from "./schema-parts.ts";

type Schema = JsonSchema | boolean;

const maxLevels = 6;
/** Characters of the names that stand in place of properties. */
const maxNamesLength = 800;

/** A node that can still take keywords. */
interface Place {
  readonly node: Node;
  readonly shape: SchemaShape;
  readonly name: string;
}

/**
 * Fills the arguments of a schema that are objects, lists or unions with as much as fits, level by level: names, types
 * and `required` of properties first, then choices and constraints, then what tells the branches of a union apart, then
 * descriptions. `[…]` stands where something is left out. The result is weaker than the input schema or the same.
 *
 * @param full the schema that arguments are validated against.
 * @param shown what is shown so far; its plain arguments stay as they are.
 * @param size the number of characters the result may have, as JSON.
 * @param about the description of the result while anything in it is left out.
 */
export function fillSchema(
  full: JsonSchema,
  shown: JsonSchema,
  size: number,
  describe: DescribeSchema,
  about: string,
): JsonSchema {
  const { $defs: _, description: __, ...more } = shown;
  const properties: Node = {};
  const result: Node = { description: about, ...more, properties };
  const shapes = new SchemaShapes(new Map(Object.entries((full["$defs"] ?? {}) as Node)) as never);
  const places: Place[] = [];
  for (const [name, given] of Object.entries(full["properties"] as Record<string, Schema>)) {
    if (typeof given === "boolean" || isPlain(given)) {
      setOwn(properties, name, (shown["properties"] as Node)[name]);
      continue;
    }
    const shape = shapes.of(given);
    const node = outlineSchema(shape);
    const text = describe(given, 1, name);
    if (text !== "") node["description"] = isNested(shape) ? `${text} ${mark}` : text;
    setOwn(properties, name, node);
    places.push({ node, shape, name });
  }
  new Filling(shapes, describe, size - JSON.stringify(result).length).run(places);
  if (!JSON.stringify(properties).includes(mark)) delete result["description"];
  return result;
}

class Filling {
  readonly #shapes: SchemaShapes;
  readonly #describe: DescribeSchema;
  /** Characters. */
  #room: number;

  constructor(shapes: SchemaShapes, describe: DescribeSchema, room: number) {
    this.#shapes = shapes;
    this.#describe = describe;
    this.#room = room;
  }

  run(roots: readonly Place[]): void {
    let places = roots;
    for (const place of roots) this.#addKeywords(place);
    for (let depth = 2; depth <= maxLevels && places.length > 0; depth++) {
      const children: Place[] = [];
      for (const [index, place] of places.entries()) {
        // Each may take its part of the room, and what those before it did not need.
        this.#addMembers(place, this.#room / (places.length - index), children);
      }
      for (const child of children) this.#addKeywords(child);
      for (const place of places) this.#addBranches(place);
      for (const child of children) this.#addDescription(child, depth);
      places = children.filter(({ shape }) => isNested(shape));
    }
  }

  #addMembers(place: Place, share: number, children: Place[]): void {
    const { shape, node } = place;
    const least = this.#room - share;
    for (const keyword of ["items", "additional", "content"] as const) {
      const schema = shape[keyword];
      const isShown = node[memberKeywords[keyword]] !== undefined;
      if (schema === undefined || isShown) continue;
      if (keyword === "additional" && shape.properties.size > 0) continue;
      const child = this.#child(schema, place.name);
      if (Object.keys(child.node).length === 0) continue;
      if (this.#put(node, memberKeywords[keyword], child.node, least)) children.push(child);
    }
    const rest = this.#addProperties(place, least, children);
    const isWhole = rest.length === 0 && !shape.isPartial;
    if (isWhole) this.#removeMark(node);
    else this.#addNames(node, rest);
  }

  /** @returns the names of those that do not fit. */
  #addProperties({ shape, node }: Place, least: number, children: Place[]): readonly string[] {
    const { properties, required } = shape;
    const names = [...properties.keys()];
    const ordered = [
      ...names.filter((name) => required.has(name)),
      ...names.filter((name) => !required.has(name)),
    ];
    const length = names.reduce((sum, name) => sum + name.length + 2, 0);
    // If they do not fit with their types, there is still room for names in words.
    const kept =
      length + 20 * names.length > this.#room - least ? Math.min(length, maxNamesLength) : 0;
    const added: Node = {};
    const needed: string[] = [];
    const rest: string[] = [];
    for (const name of ordered) {
      const child = this.#child(properties.get(name) as Schema, name);
      const isRequired = required.has(name);
      const cost = jsonLength(child.node) + (isRequired ? 2 : 1) * (jsonLength(name) + 2);
      const overhead = Object.keys(added).length > 0 ? 0 : required.size > 0 ? 32 : 17;
      if (this.#room - cost - overhead < least + kept) {
        rest.push(name);
        continue;
      }
      this.#room -= cost + overhead;
      setOwn(added, name, child.node);
      if (isRequired) needed.push(name);
      children.push(child);
    }
    if (Object.keys(added).length > 0) node["properties"] = added;
    for (const name of required) {
      if (properties.has(name)) continue;
      this.#room -= jsonLength(name) + 20;
      if (this.#room < 0) break;
      needed.push(name);
    }
    if (needed.length > 0) node["required"] = needed;
    return rest;
  }

  #child(schema: Schema, name: string): Place {
    const shape = this.#shapes.of(schema);
    const node = outlineSchema(shape);
    return { node, shape, name };
  }

  #addKeywords({ node, shape }: Place): void {
    const { values, types, keywords } = shape;
    if (values !== undefined && node["enum"] === undefined) {
      const type = types?.length === 1 ? (types[0] as string) : undefined;
      const some = choices(values, type);
      const isWhole = some["enum"] !== undefined || isShort([...values], this.#room / 2);
      if (isWhole) this.#put(node, "enum", values);
      else this.#describeAs(node, some["description"] as string);
    }
    for (const keyword in keywords) this.#put(node, keyword, keywords[keyword] as JsonValue);
    const { items } = shape;
    const inner = node["items"];
    if (items === undefined || inner !== undefined) return;
    // A list of plain values is as short as what would stand in its place.
    const child = this.#child(items, "");
    if (isNested(child.shape) || shape.isPartial) return;
    if (this.#put(node, "items", child.node)) {
      this.#addKeywords(child);
      this.#removeMark(node);
    }
  }

  /** What each branch of a union has beside what all have: all branches or none. */
  #addBranches({ node, shape }: Place): void {
    const { branches, properties, required } = shape;
    if (branches.length < 2) return;
    const parts = branches.map((branch) => {
      const own: Node = {};
      for (const [name, schema] of branch.properties) {
        const inner = this.#shapes.of(schema);
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
    const some = distinct(parts);
    const isTold = some.length > 1 && some.every((part) => Object.keys(part).length > 0);
    if (!isTold || !this.#put(node, "anyOf", some, this.#room / 2)) return;
    const listed = node["properties"] as Node | undefined;
    for (const [name, schema] of properties) {
      if (schema !== true || listed === undefined || !Object.hasOwn(listed, name)) continue;
      this.#room += jsonLength(listed[name] as JsonValue) + jsonLength(name) + 2;
      delete listed[name];
    }
  }

  #addDescription({ node, shape, name }: Place, depth: number): void {
    const { described } = shape;
    const text = described === undefined ? "" : this.#describe(described, depth, name);
    if (text === "") return;
    this.#describeAs(node, text);
  }

  /** In front of what is there already, which may be the mark. */
  #describeAs(node: Node, text: string): void {
    const before = node["description"];
    this.#put(node, "description", before === undefined ? text : `${text} ${before as string}`);
  }

  #addNames(node: Node, names: readonly string[]): void {
    let left = Math.min(maxNamesLength, this.#room);
    const some = names.filter((name) => (left -= jsonLength(name)) >= 0).join(", ");
    const before = (node["description"] ?? mark) as string;
    const text = before.endsWith(mark) ? before.slice(0, -mark.length) : `${before} `;
    this.#put(node, "description", some === "" ? `${text}${mark}` : `${text}${some} ${mark}`);
  }

  #removeMark(node: Node): void {
    const before = node["description"];
    if (typeof before !== "string" || !before.endsWith(mark)) return;
    const text = before.slice(0, -mark.length).trimEnd();
    this.#room += mark.length + 1;
    if (text !== "") node["description"] = text;
    else {
      this.#room += '"description":""'.length;
      delete node["description"];
    }
  }

  /** Sets a keyword if at least so many characters remain. */
  #put(node: Node, keyword: string, value: JsonValue, least = 0): boolean {
    const before = node[keyword];
    const added = before === undefined ? jsonLength(keyword) + 2 : -jsonLength(before);
    if (this.#room - added - jsonLength(value) < least) return false;
    this.#room -= added + jsonLength(value);
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
