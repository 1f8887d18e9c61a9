import type { JsonObject, JsonValue } from "@toolweave/core";
import { walkSubschemas, isObject } from "@toolweave/core/adapter";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import { withReadableSpec, checkEach } from "../../faults/check-each.ts";
import type { Fault } from "../../contract/finding.ts";
import { hasType, getTypes } from "../../schema/breaches.ts";
import { compileSchema } from "../../schema/shared-validator.ts";
import { drawSubset } from "../../schema/generation-settings.ts";
import { findKeyword } from "../../schema/references.ts";
import { defineInputCheck } from "./input-checks.ts";

/** The maximum number of values to check in one run, since each one compiles a schema. */
const maxValues = 100;

/** Lower and upper bounds. If one of them is exclusive, they must not be equal. */
const bounds: readonly (readonly [lower: string, upper: string, isExclusive?: true])[] = [
  ["minimum", "maximum"],
  ["exclusiveMinimum", "maximum", true],
  ["minimum", "exclusiveMaximum", true],
  ["exclusiveMinimum", "exclusiveMaximum", true],
  ["minLength", "maxLength"],
  ["minItems", "maxItems"],
  ["minContains", "maxContains"],
  ["minProperties", "maxProperties"],
];

/** Checks of values, keywords and bounds in schemas. */
export const valueChecks: readonly Check[] = [
  defineCheck("TW-SPEC-033", (context) =>
    checkValues(context, "default", ({ default: value }) => (value === undefined ? [] : [value])),
  ),

  defineCheck("TW-SPEC-039", (context) =>
    checkValues(context, "example", ({ examples }) => (Array.isArray(examples) ? examples : [])),
  ),

  defineSubschemaCheck("TW-SPEC-040", "Compared the members of each enum", (schema) => {
    const { enum: members } = schema;
    if (!Array.isArray(members)) return undefined;
    const types = getTypes(schema);
    const invalidMember = members.find((member) => types.length > 0 && !hasType(member, types));
    if (invalidMember !== undefined) {
      return { wrong: `has an enum member that is not a ${types.join(" or ")}`, seen: schema };
    }
    const texts = new Set(members.map((member) => JSON.stringify(member)));
    return texts.size === members.length
      ? undefined
      : { wrong: "has a duplicate enum member", seen: members };
  }),

  defineSubschemaCheck("TW-SPEC-042", "Read the keywords of each schema", (schema) => {
    for (const keyword of Object.keys(schema)) {
      const meant = findKeyword(keyword);
      if (meant !== undefined && meant !== keyword) {
        const wrong = `has a schema with the unknown keyword ${keyword}; use ${meant}`;
        return { wrong, seen: schema };
      }
    }
    return undefined;
  }),

  defineSubschemaCheck("TW-SPEC-043", "Compared the bounds of each schema", (schema) => {
    for (const [lower, upper, isExclusive = false] of bounds) {
      const least = schema[lower];
      const most = schema[upper];
      if (typeof least !== "number" || typeof most !== "number") continue;
      if (least > most || (isExclusive && least === most)) {
        return { wrong: `has bounds that no value satisfies: ${lower} and ${upper}`, seen: schema };
      }
    }
    return undefined;
  }),
];

function defineSubschemaCheck(
  id: string,
  done: string,
  findFault: (schema: JsonObject) => Fault | undefined,
): Check {
  return defineInputCheck(id, done, (root) => {
    for (const { schema, pointer: path } of walkSubschemas(root)) {
      const fault = findFault(schema);
      if (fault !== undefined) return { ...fault, wrong: `${fault.wrong}, at inputSchema${path}` };
    }
    return undefined;
  });
}

interface SchemaValue {
  readonly label: string;
  readonly path: string;
  readonly value: JsonValue;
  readonly schema: JsonObject;
  readonly root: JsonObject;
}

async function checkValues(
  context: CheckContext,
  what: "default" | "example",
  chooseValues: (schema: JsonObject) => readonly JsonValue[],
): ReturnType<typeof checkEach> {
  const { tools } = await context.subject();
  const all = withReadableSpec(tools).flatMap(({ label, spec: { inputSchema } }) =>
    isObject(inputSchema) ? findValues(label, inputSchema, chooseValues) : [],
  );
  const some = drawSubset(all, maxValues, context.seed);
  const done = `Checked ${some.length} of ${all.length} ${what}s against their schemas`;
  return checkEach(some, done, async (given) =>
    (await accepts(given))
      ? undefined
      : {
          wrong: `has ${what === "example" ? "an" : "a"} ${what} that its own schema rejects, at inputSchema${given.path}`,
          seen: { [what]: given.value, schema: given.schema },
        },
  );
}

function findValues(
  label: string,
  root: JsonObject,
  chooseValues: (schema: JsonObject) => readonly JsonValue[],
): SchemaValue[] {
  return [...walkSubschemas(root)].flatMap(({ schema, pointer: path }) =>
    chooseValues(schema).map((value) => ({ label, path, value, schema, root })),
  );
}

/** True if the schema accepts the value, or if it cannot be used, which TW-SPEC-005 reports. */
async function accepts({ value, schema, root }: SchemaValue): Promise<boolean> {
  const isWhole = schema === root || !JSON.stringify(schema).includes('"$');
  const { $schema, $defs, definitions } = root;
  const alone: JsonObject = {
    ...schema,
    ...($schema === undefined ? {} : { $schema }),
    ...(isWhole || $defs === undefined ? {} : { $defs }),
    ...(isWhole || definitions === undefined ? {} : { definitions }),
  };
  const findProblems = await compileSchema(alone);
  return findProblems?.(value) === undefined;
}
