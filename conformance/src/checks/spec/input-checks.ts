import type { JsonObject, JsonValue, ToolSpec } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import { defineCheck, type Check } from "../../context/check.ts";
import { withReadableSpec, checkEach } from "../../faults/check-each.ts";
import type { Fault } from "../../contract/finding.ts";
import {
  findKeyword,
  getReferences,
  collectConjuncts,
  type References,
} from "../../schema/references.ts";
import { filterStrings } from "../../schema/keyword-values.ts";

/**
 * The keywords that an API rejects at the root of a tool's schema: OpenAI all of them, Anthropic
 * the first three.
 *
 * @see https://github.com/langchain-ai/langchainjs/issues/9804
 * @see https://github.com/anthropics/claude-code/issues/5973
 */
const rejectedRootKeywords = ["anyOf", "oneOf", "allOf", "not", "enum"];

/**
 * The property names at the root that Anthropic and Bedrock accept.
 *
 * @see https://github.com/twilio-labs/mcp/issues/58
 */
const argumentName = /^[a-zA-Z0-9_.-]{1,64}$/;

/** The maximum size of a tool in UTF-8. A hundred such tools exceed the context of a model. */
const maxBytes = 65_536;

/**
 * The maximum nesting. OpenAI rejects enforced schemas beyond a depth: five levels at first, more
 * since then. Gemini has an undocumented limit.
 *
 * @see https://developers.openai.com/api/docs/guides/structured-outputs
 * @see https://github.com/google-gemini/gemini-cli/issues/5923
 */
const maxLevels = 10;

/** Checks of whether models and providers can use an input schema. */
export const inputChecks: readonly Check[] = [
  defineShapeCheck(
    "TW-SPEC-032",
    "Looked for a description of each required property",
    (shape, schema) => {
      const required = shape.conjuncts.flatMap((conjunct) => filterStrings(conjunct["required"]));
      if (required.length === 0) return undefined;
      const { names, isOpen } = collectDescribedNames(shape.conjuncts, getReferences(schema));
      const missing = isOpen ? undefined : required.find((name) => !names.has(name));
      return missing === undefined
        ? undefined
        : {
            wrong: `requires ${propertyPath(shape.path, missing)} but does not describe it`,
            seen: { required, described: [...names] },
          };
    },
  ),

  defineShapeCheck("TW-SPEC-034", "Read the schema of each property", ({ path, conjuncts }) => {
    for (const { properties } of conjuncts) {
      if (!isObject(properties)) continue;
      const mute = Object.keys(properties).find((name) => isUndescribed(properties[name]));
      if (mute !== undefined) {
        const wrong = `does not describe ${propertyPath(path, mute)}: add a type or a description`;
        return { wrong, seen: properties[mute] };
      }
    }
    return undefined;
  }),

  defineInputCheck("TW-SPEC-035", "Read the root of each input schema", (schema) => {
    const refused = rejectedRootKeywords.find((keyword) => Object.hasOwn(schema, keyword));
    return refused === undefined
      ? undefined
      : {
          wrong: `has ${refused} at the root of its input schema, which large providers reject: describe one object, and check the rest in validate`,
          seen: schema[refused],
        };
  }),

  defineInputCheck("TW-SPEC-036", "Read the names of each tool's arguments", (schema) => {
    const [root] = collectValueShapes(schema, getReferences(schema));
    const names =
      root === undefined ? [] : collectDescribedNames(root.conjuncts, getReferences(schema)).names;
    const refused = [...names].find((name) => !argumentName.test(name));
    return refused === undefined
      ? undefined
      : {
          wrong: `has an argument named ${JSON.stringify(refused)}, which large providers reject: use letters, digits, _ . and -, 64 at most`,
          seen: refused,
        };
  }),

  defineCheck("TW-SPEC-037", async (context) => {
    const { tools } = await context.subject();
    return checkEach(
      withReadableSpec(tools),
      "Measured the part of each spec that a model receives",
      ({ spec }) => {
        const bytes = measureSpec(spec);
        return bytes <= maxBytes
          ? undefined
          : { wrong: `takes ${bytes} bytes of each prompt, more than ${maxBytes}`, seen: bytes };
      },
    );
  }),

  defineShapeCheck("TW-SPEC-038", "Measured the nesting of each input", ({ path, depth }) =>
    depth > maxLevels
      ? { wrong: `nests its input deeper than ${maxLevels} objects and lists`, seen: path }
      : undefined,
  ),
];

/** Defines a check of each input schema. */
export function defineInputCheck(
  id: string,
  done: string,
  findFault: (schema: JsonObject) => Fault | undefined,
): Check {
  return defineCheck(id, async (context) => {
    const { tools } = await context.subject();
    return checkEach(withReadableSpec(tools), done, ({ spec }) =>
      isObject(spec.inputSchema) ? findFault(spec.inputSchema) : undefined,
    );
  });
}

function defineShapeCheck(
  id: string,
  done: string,
  findFault: (shape: ValueShape, schema: JsonObject) => Fault | undefined,
): Check {
  return defineInputCheck(id, done, (schema) => {
    for (const shape of collectValueShapes(schema, getReferences(schema))) {
      const fault = findFault(shape, schema);
      if (fault !== undefined) return fault;
    }
    return undefined;
  });
}

/** True for `true` and for a schema without keywords. */
function isUndescribed(schema: JsonValue | undefined): boolean {
  if (!isObject(schema)) return schema === true;
  return !Object.keys(schema).some((key) => key.startsWith("$") || findKeyword(key) !== undefined);
}

function measureSpec({ name, description, inputSchema }: ToolSpec): number {
  return new TextEncoder().encode(JSON.stringify({ name, description, inputSchema })).length;
}

function propertyPath(path: string, name: string): string {
  return path === "" ? name : `${path.slice(1)}/${name}`;
}

/** The schemas of one value: the input, one of its properties, or the items of a list. */
interface ValueShape {
  /** A JSON pointer from the value at the root: `/address/street`, `/tags/*`. */
  readonly path: string;
  /** The schemas that the value must all satisfy. */
  readonly conjuncts: readonly JsonObject[];
  /** The number of objects and lists around the value, including itself. */
  readonly depth: number;
}

const branching = ["allOf", "anyOf", "oneOf"];

/**
 * The schemas of a value and of all values within it, each schema once at its smallest depth: a
 * recursive schema is no deeper than its definition.
 */
export function collectValueShapes(root: JsonObject, references: References): ValueShape[] {
  const shapes: ValueShape[] = [];
  const walked = new Set<JsonObject>();
  let level: readonly SchemaPlace[] = [{ schema: root, path: "", outer: 0 }];
  while (level.length > 0) {
    const next: SchemaPlace[] = [];
    for (const { schema, path, outer } of level) {
      const all = collectConjuncts(schema, references);
      const parts = collectBranches(all, references);
      const nesting = parts.filter(hasMembers);
      if (nesting.length > 0 && nesting.every((part) => walked.has(part))) continue;
      const depth = nesting.length > 0 ? outer + 1 : outer;
      shapes.push({ path, conjuncts: all, depth });
      for (const part of parts) {
        if (walked.has(part)) continue;
        walked.add(part);
        for (const [step, member] of getMembers(part)) {
          if (isObject(member))
            next.push({ schema: member, path: `${path}/${step}`, outer: depth });
        }
      }
    }
    level = next;
  }
  return shapes;
}

interface SchemaPlace {
  readonly schema: JsonObject;
  readonly path: string;
  readonly outer: number;
}

/** The schemas of the same value, including those that apply conditionally. */
function collectBranches(all: readonly JsonObject[], references: References): JsonObject[] {
  const found = new Set<JsonObject>();
  const add = (value: JsonValue | undefined): void => {
    for (const part of collectConjuncts(value, references)) {
      if (found.has(part)) continue;
      found.add(part);
      for (const keyword of branching) {
        const list = part[keyword];
        if (Array.isArray(list)) list.forEach(add);
      }
      for (const keyword of ["then", "else"]) add(part[keyword]);
    }
  };
  all.forEach(add);
  return [...found];
}

function getMembers(schema: JsonObject): [step: string, member: JsonValue][] {
  const found: [string, JsonValue][] = [];
  if (isObject(schema["properties"])) found.push(...Object.entries(schema["properties"]));
  if (isObject(schema["patternProperties"])) {
    found.push(...Object.entries(schema["patternProperties"]));
  }
  for (const keyword of ["additionalProperties", "items"]) {
    const member = schema[keyword];
    if (isObject(member)) found.push(["*", member]);
  }
  const prefix = schema["prefixItems"];
  if (Array.isArray(prefix)) {
    prefix.forEach((item: JsonValue, index) => found.push([`${index}`, item]));
  }
  return found;
}

function hasMembers(schema: JsonObject): boolean {
  const { type } = schema;
  const types = Array.isArray(type) ? type : [type];
  return types.includes("object") || types.includes("array") || getMembers(schema).length > 0;
}

/** The names of the properties that the schemas of a value describe, including conditional ones. */
function collectDescribedNames(
  all: readonly JsonObject[],
  references: References,
): { readonly names: ReadonlySet<string>; readonly isOpen: boolean } {
  const names = new Set<string>();
  let isOpen = false;
  for (const part of collectBranches(all, references)) {
    if (isObject(part["properties"])) {
      Object.keys(part["properties"]).forEach((name) => names.add(name));
    }
    // Patterns and additional properties also describe names.
    if (isObject(part["patternProperties"]) || isObject(part["additionalProperties"])) {
      isOpen = true;
    }
  }
  return { names, isOpen };
}
