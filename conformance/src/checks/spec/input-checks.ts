import type { JsonObject, JsonValue, ToolSpec } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import { defineCheck, type Check } from "../../context/check.ts";
import { withReadableSpec, checkEach } from "../../faults/check-each.ts";
import type { Fault } from "../../contract/finding.ts";
import { findKeyword } from "../../schema/find-keyword.ts";
import { getReferences } from "../../schema/references.ts";
import {
  collectDescribedNames,
  collectValueShapes,
  type ValueShape,
} from "../../schema/value-shapes.ts";

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
      const required = shape.conjuncts.flatMap(requiredNames);
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

function defineInputCheck(
  id: string,
  done: string,
  faultOf: (schema: JsonObject) => Fault | undefined,
): Check {
  return defineCheck(id, async (context) => {
    const { tools } = await context.subject();
    return checkEach(withReadableSpec(tools), done, ({ spec }) =>
      isObject(spec.inputSchema) ? faultOf(spec.inputSchema) : undefined,
    );
  });
}

function defineShapeCheck(
  id: string,
  done: string,
  faultOf: (shape: ValueShape, schema: JsonObject) => Fault | undefined,
): Check {
  return defineInputCheck(id, done, (schema) => {
    for (const shape of collectValueShapes(schema, getReferences(schema))) {
      const fault = faultOf(shape, schema);
      if (fault !== undefined) return fault;
    }
    return undefined;
  });
}

function requiredNames({ required }: JsonObject): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
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
