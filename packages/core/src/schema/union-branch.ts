import { isObject, type JsonObject, type JsonSchema } from "../json/json.ts";
import { decodeFragment, parsePointer } from "../json/json-pointer.ts";
import {
  getItemSchemas,
  inPlaceKeywords,
  inPlaceSubschemas,
  resolveReference,
} from "../json-schema/subschemas.ts";

/** The maximum number of schemas examined in one branch. */
const maxSchemas = 2000;
const maxLabelLength = 60;
const compositions: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf"]);
/** Keywords whose problems are problems of the value itself. */
const sameValue: ReadonlySet<string> = new Set([...inPlaceKeywords, "propertyNames"]);
const inside = ["additionalProperties", "unevaluatedProperties", "unevaluatedItems", "contains"];

/** The facts about a branch of `anyOf` or `oneOf` that show whether it was meant. */
export interface UnionBranch {
  /** Its label: the definition's name, its title, or its type; absent if it has none of them. */
  readonly label?: string;
  /**
   * The schemas that apply to the value at a JSON pointer, `$ref` and compositions followed. Empty: to the value
   * itself.
   */
  schemasAt(pointer: string): ReadonlySet<unknown>;
  /** The names that its `properties` have. */
  readonly properties: ReadonlySet<string>;
  /** The only values of its properties that have one, or by which a discriminator selects. */
  readonly constants: ReadonlyMap<string, readonly unknown[]>;
  /** False when a property of the value contradicts a constant. */
  selects(value: unknown): boolean;
}

/** Reads a branch of a union in the schema `root`. */
export function readBranch(branch: unknown, root: JsonSchema): UnionBranch {
  return new BranchReader(branch, root);
}

class BranchReader implements UnionBranch {
  declare readonly label?: string;
  readonly properties = new Set<string>();
  readonly constants = new Map<string, readonly unknown[]>();
  readonly #excluded = new Map<string, readonly unknown[]>();
  readonly #root: JsonSchema;
  readonly #byPointer = new Map<string, ReadonlySet<unknown>>();

  constructor(branch: unknown, root: JsonSchema) {
    this.#root = root;
    const label = readLabel(branch);
    if (label !== undefined) this.label = label;
    this.#byPointer.set("", schemasInPlace([branch], root, sameValue));
    for (const schema of schemasInPlace([branch], root, compositions)) {
      for (const name of Object.keys(readMembers(schema, "properties"))) this.properties.add(name);
    }
    for (const schema of schemasInPlace([branch], root, new Set(["allOf"]))) {
      for (const [name, property] of Object.entries(readMembers(schema, "properties"))) {
        if (isObject(property)) this.#readConstant(name, property);
      }
    }
  }

  schemasAt(pointer: string): ReadonlySet<unknown> {
    let known = this.#byPointer.get(pointer);
    if (known === undefined) {
      const end = pointer.lastIndexOf("/");
      const [name = ""] = parsePointer(pointer.slice(end));
      const outer = this.schemasAt(pointer.slice(0, end));
      const inner = [...outer].flatMap((schema) => schemasInside(schema, name));
      known = schemasInPlace(inner, this.#root, sameValue);
      this.#byPointer.set(pointer, known);
    }
    return known;
  }

  selects(value: unknown): boolean {
    if (!isObject(value)) return true;
    for (const [name, values] of this.constants) {
      if (Object.hasOwn(value, name) && !values.includes(value[name])) return false;
    }
    for (const [name, values] of this.#excluded) {
      if (Object.hasOwn(value, name) && values.includes(value[name])) return false;
    }
    return true;
  }

  #readConstant(name: string, property: JsonObject): void {
    const values = "const" in property ? [property["const"]] : property["enum"];
    // A choice of several values is no sign by itself, unless others that are shared have more of them.
    const isSign = Array.isArray(values) && (values.length === 1 || isSelector(property));
    const known = this.constants.get(name);
    if (isSign && (known === undefined || values.length < known.length)) {
      this.constants.set(name, values as readonly unknown[]);
    }
    const { not } = property;
    const excluded = isObject(not) ? not["enum"] : undefined;
    if (Array.isArray(excluded)) this.#excluded.set(name, excluded as readonly unknown[]);
  }
}

/** True for a schema that only lists the values which select a branch. */
function isSelector(property: JsonObject): boolean {
  return Object.keys(property).length === 1;
}

function readLabel(branch: unknown): string | undefined {
  if (!isObject(branch)) return undefined;
  const { $ref, title, type } = branch;
  const name = typeof $ref === "string" ? lastKey($ref) : title;
  if (typeof name === "string" && name.trim() !== "" && name !== "#") {
    return name.slice(0, maxLabelLength);
  }
  return typeof type === "string" && type !== "object" ? type : undefined;
}

function lastKey(reference: string): string | undefined {
  return parsePointer(`/${decodeFragment(reference)}`).at(-1);
}

/** Schemas and those that hold for the same value, by these keywords and `$ref`. */
function schemasInPlace(
  from: readonly unknown[],
  root: JsonSchema,
  keywords: ReadonlySet<string>,
): ReadonlySet<unknown> {
  const found = new Set<unknown>();
  const open = [...from];
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (!isObject(schema) || found.has(schema)) continue;
    if (found.size >= maxSchemas) break;
    found.add(schema);
    open.push(resolveReference(root, schema["$ref"]) ?? true);
    for (const [inner, [keyword]] of inPlaceSubschemas(schema)) {
      if (keywords.has(keyword)) open.push(inner);
    }
    if (keywords.has("propertyNames")) open.push(schema["propertyNames"] ?? true);
  }
  return found;
}

/** The schemas that a schema has for its member or item of that name. */
function schemasInside(schema: unknown, name: string): unknown[] {
  if (!isObject(schema)) return [];
  const properties = readMembers(schema, "properties");
  const { prefix, rest } = getItemSchemas(schema);
  return [
    ...inside.map((keyword) => schema[keyword]),
    ...Object.values(readMembers(schema, "patternProperties")),
    Object.hasOwn(properties, name) ? properties[name] : undefined,
    prefix[Number(name)],
    rest,
  ].filter(isObject);
}

function readMembers(schema: unknown, keyword: string): JsonObject {
  const members = isObject(schema) ? schema[keyword] : undefined;
  return isObject(members) ? members : {};
}
