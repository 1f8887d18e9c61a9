import type { JsonObject, JsonValue } from "@toolweave/core";

/** The versions of the format for which neighbours are generated. */
export const versions = ["2.0", "3.0.3", "3.1.1", "3.2.0"] as const;

/** One of them. */
export type Version = (typeof versions)[number];

/** A schema with one property of interest, an argument for it, and its form on the wire. */
export interface Trait {
  readonly name: string;
  readonly schema: JsonObject;
  /** The schema that its author must mean, if by the letter no value, or not this one, is valid. Default: `schema`. */
  readonly meant?: JsonObject;
  /** The argument. */
  readonly value: JsonValue;
  /** The JSON text of the value on the wire. */
  readonly json: string;
  /** The plain text of the value; absent: only JSON can represent it. */
  readonly text?: string;
  /** The bytes and type of a part in multipart/form-data, where it is a file there. */
  readonly file?: { readonly bytes: string; readonly type: string };
  /** Default: all. */
  readonly versions?: readonly Version[];
  /** The value must not be sent. */
  readonly refused?: true;
}

const since31: readonly Version[] = ["3.1.1", "3.2.0"];

/** The traits, each from a reported case, and plain values beside them. */
export const traits: readonly Trait[] = [
  { name: "a text", schema: { type: "string" }, value: "a b", json: '"a b"', text: "a b" },
  { name: "an integer", schema: { type: "integer" }, value: 7, json: "7", text: "7" },
  { name: "a boolean", schema: { type: "boolean" }, value: true, json: "true", text: "true" },
  {
    name: "a file",
    schema: { type: "string", format: "binary" },
    value: "aGk=",
    json: '"aGk="',
    file: { bytes: "hi", type: "application/octet-stream" },
    versions: ["3.0.3"],
  },
  {
    name: "a file with the format binary",
    schema: { type: "string", format: "binary" },
    value: "aGk=",
    json: '"aGk="',
    file: { bytes: "hi", type: "application/octet-stream" },
    versions: since31,
  },
  {
    name: "a picture",
    schema: { type: "string", contentMediaType: "image/png" },
    value: "aGk=",
    json: '"aGk="',
    file: { bytes: "hi", type: "image/png" },
    versions: since31,
  },
  {
    name: "a text with numbers as choices",
    schema: { type: "string", enum: [1, 2] },
    meant: { type: "string", enum: ["1", "2"] },
    value: "2",
    json: '"2"',
    text: "2",
  },
  {
    name: "a text with booleans as choices",
    schema: { type: "string", enum: [true, false] },
    meant: { type: "string", enum: ["true", "false"] },
    value: "true",
    json: '"true"',
    text: "true",
  },
  {
    name: "an integer with texts as choices",
    schema: { type: "integer", enum: ["1", "2"] },
    meant: { type: "integer", enum: [1, 2] },
    value: 2,
    json: "2",
    text: "2",
  },
  {
    name: "a boolean with texts as choices",
    schema: { type: "boolean", enum: ["true", "false"] },
    meant: { type: "boolean", enum: [true, false] },
    value: true,
    json: "true",
    text: "true",
  },
  {
    name: "a text with a number as constant",
    schema: { type: "string", const: 1 },
    meant: { type: "string", const: "1" },
    value: "1",
    json: '"1"',
    text: "1",
    versions: since31,
  },
  {
    name: "an integer beyond 2^53",
    schema: { type: "integer", format: "int64" },
    value: "9007199254740993",
    json: "9007199254740993",
    text: "9007199254740993",
  },
  {
    name: "an integer that is printed with other digits",
    schema: { type: "integer", format: "int64" },
    value: "725653563933458432",
    json: "725653563933458432",
    text: "725653563933458432",
  },
  {
    name: "an integer below its minimum beyond 2^53",
    schema: { type: "integer", minimum: 9_007_199_254_740_994 },
    value: "9007199254740993",
    json: "9007199254740993",
    text: "9007199254740993",
    refused: true,
  },
  {
    name: "an amount in hundredths",
    schema: { type: "number", multipleOf: 0.01 },
    value: 19.99,
    json: "19.99",
    text: "19.99",
  },
  {
    name: "an amount that is no multiple of a hundredth",
    schema: { type: "number", multipleOf: 0.01 },
    value: 0.015,
    json: "0.015",
    text: "0.015",
    refused: true,
  },
  {
    name: "a closed branch beside another one",
    schema: {
      allOf: [
        { type: "object", properties: { a: { type: "integer" } }, additionalProperties: false },
        { type: "object", properties: { b: { type: "integer" } } },
      ],
    },
    meant: {
      allOf: [
        {
          type: "object",
          properties: { a: { type: "integer" }, b: { type: "integer" } },
          additionalProperties: false,
        },
      ],
    },
    value: { a: 1, b: 2 },
    json: '{"a":1,"b":2}',
  },
];
