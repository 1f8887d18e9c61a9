import type { JsonObject, JsonValue, ToolSpec } from "@toolweave/core";
import { check, type Check } from "../context/check.ts";
import { described, checkEach, type Fault } from "../reading/check-each.ts";
import { knownKeyword } from "../schema/known-keyword.ts";
import { referencesOf } from "../schema/references.ts";
import { isObject } from "../schema/subschemas.ts";
import { describedNames, valueShapes, type ValueShape } from "../schema/value-shapes.ts";

/**
 * What an API refuses at the root of a tool's schema: OpenAI all of them, Anthropic the first three.
 *
 * @see https://github.com/langchain-ai/langchainjs/issues/9804
 * @see https://github.com/anthropics/claude-code/issues/5973
 */
const refusedAtRoot = ["anyOf", "oneOf", "allOf", "not", "enum"];

/**
 * What Anthropic and Bedrock accept as the name of a property at the root.
 *
 * @see https://github.com/twilio-labs/mcp/issues/58
 */
const argumentName = /^[a-zA-Z0-9_.-]{1,64}$/;

/** In UTF-8. A hundred such tools are more than a model can read. */
const mostBytes = 65_536;

/**
 * OpenAI refuses schemas that it enforces beyond a depth: five levels at first, more since then. Gemini
 * has a limit that it does not name.
 *
 * @see https://developers.openai.com/api/docs/guides/structured-outputs
 * @see https://github.com/google-gemini/gemini-cli/issues/5923
 */
const mostLevels = 10;

/** What a model can make of an input schema. */
export const inputChecks: readonly Check[] = [
  shapeCheck("TW-SPEC-032", "Looked for a description of all that is required", (shape, schema) => {
    const required = shape.conjuncts.flatMap(requiredNames);
    if (required.length === 0) return undefined;
    const { names, isOpen } = describedNames(shape.conjuncts, referencesOf(schema));
    const missing = isOpen ? undefined : required.find((name) => !names.has(name));
    return missing === undefined
      ? undefined
      : {
          wrong: `requires ${place(shape.path, missing)} and does not describe it`,
          seen: { required, described: [...names] },
        };
  }),

  shapeCheck("TW-SPEC-034", "Read what is said of each property", ({ path, conjuncts }) => {
    for (const { properties } of conjuncts) {
      if (!isObject(properties)) continue;
      const mute = Object.keys(properties).find((name) => saysNothing(properties[name]));
      if (mute !== undefined) {
        const wrong = `says nothing of ${place(path, mute)}: give it a type or a description`;
        return { wrong, seen: properties[mute] };
      }
    }
    return undefined;
  }),

  inputCheck("TW-SPEC-035", "Read the root of each input schema", (schema) => {
    const refused = refusedAtRoot.find((keyword) => Object.hasOwn(schema, keyword));
    return refused === undefined
      ? undefined
      : {
          wrong: `has ${refused} at the root of its input schema, which large providers refuse: describe one object, and check the rest in validate`,
          seen: schema[refused],
        };
  }),

  inputCheck("TW-SPEC-036", "Read the names of each tool's arguments", (schema) => {
    const [root] = valueShapes(schema, referencesOf(schema));
    const names =
      root === undefined ? [] : describedNames(root.conjuncts, referencesOf(schema)).names;
    const refused = [...names].find((name) => !argumentName.test(name));
    return refused === undefined
      ? undefined
      : {
          wrong: `has an argument named ${JSON.stringify(refused)}, which large providers refuse: use letters, digits, _ . and -, 64 at most`,
          seen: refused,
        };
  }),

  check("TW-SPEC-037", async (context) => {
    const { tools } = await context.subject();
    return checkEach(described(tools), "Measured what a model sees of each tool", ({ spec }) => {
      const bytes = sizeOf(spec);
      return bytes <= mostBytes
        ? undefined
        : { wrong: `takes ${bytes} bytes of each prompt, more than ${mostBytes}`, seen: bytes };
    });
  }),

  shapeCheck("TW-SPEC-038", "Counted how deep each input nests", ({ path, depth }) =>
    depth > mostLevels
      ? { wrong: `nests its input deeper than ${mostLevels} objects and lists`, seen: path }
      : undefined,
  ),
];

function inputCheck(
  id: string,
  done: string,
  faultOf: (schema: JsonObject) => Fault | undefined,
): Check {
  return check(id, async (context) => {
    const { tools } = await context.subject();
    return checkEach(described(tools), done, ({ spec }) =>
      isObject(spec.inputSchema) ? faultOf(spec.inputSchema) : undefined,
    );
  });
}

function shapeCheck(
  id: string,
  done: string,
  faultOf: (shape: ValueShape, schema: JsonObject) => Fault | undefined,
): Check {
  return inputCheck(id, done, (schema) => {
    for (const shape of valueShapes(schema, referencesOf(schema))) {
      const fault = faultOf(shape, schema);
      if (fault !== undefined) return fault;
    }
    return undefined;
  });
}

function requiredNames({ required }: JsonObject): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** `true`, or a schema of which no key is a keyword. */
function saysNothing(schema: JsonValue | undefined): boolean {
  if (!isObject(schema)) return schema === true;
  return !Object.keys(schema).some((key) => key.startsWith("$") || knownKeyword(key) !== undefined);
}

function sizeOf({ name, description, inputSchema }: ToolSpec): number {
  return new TextEncoder().encode(JSON.stringify({ name, description, inputSchema })).length;
}

function place(path: string, name: string): string {
  return path === "" ? name : `${path.slice(1)}/${name}`;
}
