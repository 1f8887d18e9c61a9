import type { ErrorObject } from "ajv";
import type { JsonSchema, JsonValue } from "../spec/json.ts";
import { escapePointer } from "./escape-pointer.ts";

/** Of more errors than this nobody reads which branch they are of. */
const mostErrors = 2000;
const mostUnions = 20;
const mostSteps = 8;
const mostDefinitions = 500;

/**
 * Leaves out the errors of branches of `anyOf` and `oneOf` that were not meant: where each branch has constants, as
 * `type: "circle"`, the value says which it is. Where no branch has its constant, one error lists all that there are.
 */
export function ofChosenBranches(
  errors: readonly ErrorObject[],
  root: JsonSchema,
  value: unknown,
): readonly ErrorObject[] {
  if (errors.length > mostErrors) return errors;
  let left = errors;
  let unions = 0;
  for (const error of errors) {
    const { keyword } = error;
    if ((keyword !== "oneOf" && keyword !== "anyOf") || unions++ >= mostUnions) continue;
    if (left.includes(error)) left = withoutOthers(left, error, root, value);
  }
  return left;
}

interface Branch {
  /** What the schema paths of its errors begin with. */
  readonly path: string;
  /** Its constants, by property. */
  readonly tags: ReadonlyMap<string, readonly unknown[]>;
}

function withoutOthers(
  errors: readonly ErrorObject[],
  union: ErrorObject,
  root: JsonSchema,
  value: unknown,
): readonly ErrorObject[] {
  const { schemaPath, instancePath } = union;
  const given = at(value, instancePath);
  if (!isObject(given)) return errors;
  const inside = errors.filter((error) => isWithin(error.instancePath, instancePath));
  const branches = branchesOf(schemaPath, inside, root);
  if (branches === undefined) return errors;
  const chosen = branches.filter(({ tags }) =>
    [...tags].every(
      ([name, values]) => !Object.hasOwn(given, name) || values.includes(given[name]),
    ),
  );
  const others = branches.filter((branch) => !chosen.includes(branch));
  if (others.length === 0) return errors;
  const known = new Set(chosen.map(({ path }) => path));
  const dropped = others.filter(({ path }) => !known.has(path));
  const left = errors.filter(
    (error) =>
      !isWithin(error.instancePath, instancePath) ||
      !dropped.some(({ path }) => error.schemaPath.startsWith(`${path}/`)),
  );
  if (chosen.length > 0) return left.filter((error) => error !== union || left.length === 1);
  const [name] = [...(branches[0] as Branch).tags.keys()].filter((tag) =>
    branches.every(({ tags }) => tags.has(tag)),
  );
  if (name === undefined) return errors;
  const allowedValues = [...new Set(branches.flatMap(({ tags }) => [...(tags.get(name) ?? [])]))];
  const path = `${instancePath}/${escapePointer(name)}`;
  const all = { ...union, keyword: "enum", instancePath: path, params: { allowedValues } };
  // Of branches that are compiled by themselves nobody knows where their errors come from.
  const isOfTag = ({ instancePath: place, keyword }: ErrorObject): boolean =>
    place === path && (keyword === "enum" || keyword === "const");
  return left.flatMap((error) => (error === union ? [all] : isOfTag(error) ? [] : [error]));
}

/**
 * The branches of a union. Ajv says where it is from the definition that it is in, and not in which: it is the one whose
 * branches have most of the errors.
 */
function branchesOf(
  schemaPath: string,
  errors: readonly ErrorObject[],
  root: JsonSchema,
): readonly Branch[] | undefined {
  const definitions = isObject(root["$defs"]) ? Object.values(root["$defs"]) : [];
  let most = 0;
  let found: readonly Branch[] | undefined;
  for (const place of [root, ...definitions.slice(0, mostDefinitions)]) {
    const list = at(place, schemaPath.slice(1));
    if (!Array.isArray(list) || list.length < 2) continue;
    const branches = list.map((branch, index) => branchOf(branch, `${schemaPath}/${index}`, root));
    if (branches.some(({ tags }) => tags.size === 0)) continue;
    const count = errors.filter((error) =>
      branches.some(({ path }) => error.schemaPath.startsWith(`${path}/`)),
    ).length;
    if (count <= most) continue;
    most = count;
    found = branches;
  }
  return found;
}

function branchOf(given: unknown, place: string, root: JsonSchema): Branch {
  let path = place;
  let schema = given;
  for (let step = 0; step < mostSteps && isObject(schema); step++) {
    const reference = schema["$ref"];
    if (typeof reference !== "string" || !reference.startsWith("#/")) break;
    path = reference;
    schema = at(root, reference.slice(1));
  }
  const tags = new Map<string, readonly unknown[]>();
  const properties = isObject(schema) ? schema["properties"] : undefined;
  for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
    if (!isObject(property)) continue;
    const values = "const" in property ? [property["const"]] : property["enum"];
    if (Array.isArray(values) && values.length === 1) tags.set(name, values as unknown[]);
  }
  return { path, tags };
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`);
}

/** What stands at a JSON pointer; Ajv's are percent-encoded. */
function at(value: unknown, pointer: string): unknown {
  let found = value;
  for (const part of pointer.split("/").slice(1)) {
    const key = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, JsonValue>)[key];
  }
  return found;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
