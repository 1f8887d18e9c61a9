import type { JsonObject, JsonValue } from "@toolweave/core";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { described, checkEach, type Fault } from "../reading/check-each.ts";
import { hasType, typesOf } from "../schema/breaches.ts";
import { checkerOf } from "../schema/checker-of.ts";
import { drawn } from "../schema/drawn.ts";
import { everySubschema } from "../schema/every-subschema.ts";
import { knownKeyword } from "../schema/known-keyword.ts";
import { isObject } from "../schema/subschemas.ts";

/** To check a value its schema is compiled: no more of them in one run. */
const maxValues = 100;

/** Lower and upper bounds; where one of them is exclusive, they must not be equal either. */
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

/** What schemas say of single values. */
export const valueChecks: readonly Check[] = [
  check("TW-SPEC-033", (context) =>
    lookAtValues(context, "default", ({ default: value }) => (value === undefined ? [] : [value])),
  ),

  check("TW-SPEC-039", (context) =>
    lookAtValues(context, "example", ({ examples }) => (Array.isArray(examples) ? examples : [])),
  ),

  subschemaCheck("TW-SPEC-040", "Compared the members of each enum", (schema) => {
    const { enum: members } = schema;
    if (!Array.isArray(members)) return undefined;
    const types = typesOf(schema);
    const misfit = members.find((member) => types.length > 0 && !hasType(member, types));
    if (misfit !== undefined) {
      return { wrong: `has a member in an enum that is no ${types.join(" or ")}`, seen: schema };
    }
    const texts = new Set(members.map((member) => JSON.stringify(member)));
    return texts.size === members.length
      ? undefined
      : { wrong: "has a member twice in an enum", seen: members };
  }),

  subschemaCheck("TW-SPEC-042", "Read the keywords of each schema", (schema) => {
    for (const keyword of Object.keys(schema)) {
      const meant = knownKeyword(keyword);
      if (meant !== undefined && meant !== keyword) {
        const wrong = `has a schema with ${keyword}, which no validator knows; it is written ${meant}`;
        return { wrong, seen: schema };
      }
    }
    return undefined;
  }),

  subschemaCheck("TW-SPEC-043", "Compared the bounds of each schema", (schema) => {
    for (const [lower, upper, isExclusive = false] of bounds) {
      const least = schema[lower];
      const most = schema[upper];
      if (typeof least !== "number" || typeof most !== "number") continue;
      if (least > most || (isExclusive && least === most)) {
        return { wrong: `has bounds that nothing can keep: ${lower} and ${upper}`, seen: schema };
      }
    }
    return undefined;
  }),
];

function subschemaCheck(
  id: string,
  done: string,
  faultOf: (schema: JsonObject) => Fault | undefined,
): Check {
  return check(id, async (context) => {
    const { tools } = await context.subject();
    return checkEach(described(tools), done, ({ spec }) => {
      if (!isObject(spec.inputSchema)) return undefined;
      for (const { schema, path } of everySubschema(spec.inputSchema)) {
        const fault = faultOf(schema);
        if (fault !== undefined) {
          return { ...fault, wrong: `${fault.wrong}, at inputSchema${path}` };
        }
      }
      return undefined;
    });
  });
}

interface GivenValue {
  readonly label: string;
  readonly path: string;
  readonly value: JsonValue;
  readonly schema: JsonObject;
  readonly root: JsonObject;
}

async function lookAtValues(
  context: CheckContext,
  what: "default" | "example",
  valuesOf: (schema: JsonObject) => readonly JsonValue[],
): ReturnType<typeof checkEach> {
  const { tools } = await context.subject();
  const all = described(tools).flatMap(({ label, spec: { inputSchema } }) =>
    isObject(inputSchema) ? givenValues(label, inputSchema, valuesOf) : [],
  );
  const some = drawn(all, maxValues, context.seed);
  const done = `Checked ${some.length} of ${all.length} ${what}s against their schemas`;
  return checkEach(some, done, async (given) =>
    (await accepts(given))
      ? undefined
      : {
          wrong: `has ${what === "example" ? "an" : "a"} ${what} that its own schema refuses, at inputSchema${given.path}`,
          seen: { [what]: given.value, schema: given.schema },
        },
  );
}

function givenValues(
  label: string,
  root: JsonObject,
  valuesOf: (schema: JsonObject) => readonly JsonValue[],
): GivenValue[] {
  return everySubschema(root).flatMap(({ schema, path }) =>
    valuesOf(schema).map((value) => ({ label, path, value, schema, root })),
  );
}

/** Also true where that cannot be said: the schema leads elsewhere, or is none (TW-SPEC-005). */
async function accepts({ value, schema, root }: GivenValue): Promise<boolean> {
  const isWhole = schema === root || !JSON.stringify(schema).includes('"$');
  const { $schema, $defs, definitions } = root;
  const alone: JsonObject = {
    ...schema,
    ...($schema === undefined ? {} : { $schema }),
    ...(isWhole || $defs === undefined ? {} : { $defs }),
    ...(isWhole || definitions === undefined ? {} : { definitions }),
  };
  const problemsOf = await checkerOf(alone);
  return problemsOf?.(value) === undefined;
}
