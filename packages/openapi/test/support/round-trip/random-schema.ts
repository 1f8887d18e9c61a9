import type { JsonObject, JsonValue } from "@toolweave/core";
import { shortHash } from "@toolweave/core/adapter";
import fc from "fast-check";
import type { Shape } from "./wire-parameter.ts";

/** A version of OpenAPI, whose schemas differ. */
export type Version = "3.0.3" | "3.1.1" | "3.2.0";

/** The document that a schema is written into. */
export interface Target {
  readonly version: Version;
  /** `#/components/schemas`, filled as schemas are written. */
  readonly schemas: Record<string, JsonValue>;
}

/** A schema, and a valid value. */
export interface Sample {
  readonly shape: Shape;
  readonly value: JsonValue;
  /** The names that an object declares. */
  readonly keys: readonly string[];
  /** The declared properties of an object, with values, passed or not. */
  readonly members: readonly Member[];
  /** True if an object allows other keys, too. */
  readonly isOpen: boolean;
  /** True for bytes: base64 for the model, a file on the wire. */
  readonly isFile: boolean;
  declare(to: Target): JsonObject;
}

/** A property of an object. */
interface Member {
  readonly name: string;
  readonly sample: Sample;
  readonly required: boolean;
}

/** Schemas that differ only in the value. */
interface Kind {
  readonly values: fc.Arbitrary<JsonValue>;
  declare(to: Target): JsonObject;
}

function createSample(
  shape: Shape,
  declare: Sample["declare"],
  value: JsonValue,
  more: Partial<Sample> = {},
): Sample {
  return { shape, declare, value, keys: [], members: [], isOpen: false, isFile: false, ...more };
}

const plainly =
  (schema: JsonObject): Kind["declare"] =>
  () =>
    schema;

const day = fc
  .date({ noInvalidDate: true, min: new Date(0), max: new Date("2200-01-01") })
  .map((date) => date.toISOString());
const number = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .map((one) => (one === 0 ? 0 : one));

function scalarKinds(text: fc.Arbitrary<string>): Kind[] {
  const typed = (schema: JsonObject, values: fc.Arbitrary<JsonValue>): Kind => ({
    declare: plainly(schema),
    values,
  });
  const some = [
    typed({ type: "string" }, text),
    typed({ type: "string" }, text),
    typed(
      { type: "string", format: "date" },
      day.map((at) => at.slice(0, 10)),
    ),
    typed({ type: "string", format: "date-time" }, day),
    typed({ type: "string", format: "uuid" }, fc.uuid()),
    typed({ type: "integer" }, fc.integer()),
    typed({ type: "number" }, number),
    typed({ type: "boolean" }, fc.boolean()),
  ];
  return [
    ...some,
    ...some.map(nullable),
    typed(
      { type: "string", enum: ["red", "two words", "é"] },
      fc.constantFrom("red", "two words", "é"),
    ),
    typed({ allOf: [{ type: "string" }, { maxLength: 200 }] }, text),
    typed(
      { oneOf: [{ type: "string" }, { type: "integer" }, { type: "boolean" }] },
      fc.oneof(text, fc.integer(), fc.boolean()),
    ),
    typed({ anyOf: [{ type: "number" }, { type: "string" }] }, fc.oneof(number, text)),
  ];
}

function nullable({ declare, values }: Kind): Kind {
  return {
    values: fc.option(values, { freq: 20 }),
    declare(to) {
      const schema = declare(to);
      return to.version === "3.0.3"
        ? { ...schema, nullable: true }
        : { ...schema, type: [schema["type"] as string, "null"] };
    },
  };
}

/** Some of the schemas are components that others refer to. */
function referred(samples: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return fc.tuple(samples, fc.nat(3)).map(([sample, one]) =>
    one > 0
      ? sample
      : {
          ...sample,
          declare(to) {
            const schema = sample.declare(to);
            const name = `S_${shortHash(JSON.stringify(schema))}`;
            to.schemas[name] = schema;
            return { $ref: `#/components/schemas/${name}` };
          },
        },
  );
}

/** Texts, numbers, booleans, enums. */
export function scalarSample(text: fc.Arbitrary<string>): fc.Arbitrary<Sample> {
  const kinds = scalarKinds(text).map(({ declare, values }) =>
    values.map((value) => createSample("text", declare, value)),
  );
  return referred(fc.oneof(...kinds));
}

/** Lists of scalars. */
export function listSample(text: fc.Arbitrary<string>, least = 0): fc.Arbitrary<Sample> {
  const kinds = scalarKinds(text).map(({ declare, values }) =>
    fc
      .array(values, { minLength: least, maxLength: 3 })
      .map((value) => createSample("list", (to) => ({ type: "array", items: declare(to) }), value)),
  );
  return referred(fc.oneof(...kinds));
}

/** Objects whose members are of these samples. */
export function objectSample(
  member: fc.Arbitrary<Sample>,
  key: fc.Arbitrary<string>,
  most = 4,
): fc.Arbitrary<Sample> {
  const members = fc.uniqueArray(
    fc.record({ name: key, sample: member, required: fc.boolean(), passed: fc.boolean() }),
    { selector: ({ name }) => name, maxLength: most },
  );
  const others = fc.constantFrom("unsaid", "closed", "closed", "open");
  return referred(
    fc.tuple(members, others).map(([all, rest]) => {
      const passed = all.filter((one) => one.required || one.passed);
      const required = all.filter((one) => one.required).map(({ name }) => name);
      const value = Object.fromEntries(passed.map((one) => [one.name, one.sample.value]));
      const declare = (to: Target): JsonObject => ({
        type: "object",
        properties: Object.fromEntries(all.map((one) => [one.name, one.sample.declare(to)])),
        ...(required.length === 0 ? {} : { required }),
        ...(rest === "unsaid" ? {} : { additionalProperties: rest === "open" }),
      });
      const keys = all.map(({ name }) => name);
      return createSample("object", declare, value, {
        keys,
        members: all,
        isOpen: rest === "open",
      });
    }),
  );
}

/** Objects, lists and scalars within each other. */
export function nestedSample(
  text: fc.Arbitrary<string>,
  key: fc.Arbitrary<string>,
  depth: number,
): fc.Arbitrary<Sample> {
  const flat = [scalarSample(text), listSample(text)];
  if (depth === 0) return fc.oneof(...flat);
  const inner = nestedSample(text, key, depth - 1);
  return fc.oneof(...flat, objectSample(inner, key, 3), createList(inner));
}

/** A list of one item, or none. */
function createList(items: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return fc
    .tuple(items, fc.nat(3))
    .map(([{ declare, value }, one]) =>
      createSample(
        "list",
        (to) => ({ type: "array", items: declare(to) }),
        one === 0 ? [] : [value],
      ),
    );
}

/** Bytes, and lists of them, as each version declares files. */
export function fileSample(): fc.Arbitrary<Sample> {
  const bytes = fc.uint8Array({ maxLength: 12 }).map((one) => Buffer.from(one).toString("base64"));
  const declare = ({ version }: Target): JsonObject =>
    version === "3.0.3"
      ? { type: "string", format: "binary" }
      : { contentMediaType: "application/octet-stream" };
  return fc.oneof(
    bytes.map((value) => createSample("text", declare, value, { isFile: true })),
    fc.array(bytes, { maxLength: 2 }).map((value) =>
      createSample("list", (to) => ({ type: "array", items: declare(to) }), value, {
        isFile: true,
      }),
    ),
  );
}
