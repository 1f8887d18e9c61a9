import type { JsonObject } from "@toolweave/core";
import type { Trait, Version } from "./traits.ts";
import { wrapJson, type Register, type Wrapper } from "./wrappers.ts";

/** A request, as far as a value decides it. */
export interface Wire {
  readonly path?: string;
  readonly query?: string;
  readonly header?: string;
  readonly cookie?: string;
  readonly json?: string;
  readonly form?: string;
  readonly parts?: readonly Part[];
}

/** A part of multipart/form-data. */
interface Part {
  readonly name: string;
  readonly filename?: string;
  readonly type?: string;
  readonly body: string;
}

/** A place in an operation for the value `v`. */
export interface Place {
  readonly name: string;
  /** The operation; undefined: the version has no such place for the schema. */
  operation(schema: JsonObject, version: Version, register: Register): JsonObject | undefined;
  /** Undefined: the place cannot represent the value. */
  toWire(trait: Trait, shape: Wrapper["shape"], version: Version): Wire | undefined;
}

const encode = encodeURIComponent;
const responses = { 204: { description: "Done." } };

function parameter(place: string): Place["operation"] {
  return (schema, version) =>
    version === "2.0"
      ? undefined
      : {
          parameters: [
            { name: "v", in: place, schema, ...(place === "path" ? { required: true } : {}) },
          ],
          responses,
        };
}

/** The texts of the items of a value, or of the value itself. */
function toTexts(text: string, shape: Wrapper["shape"]): readonly string[] {
  return shape === "list" ? [text, text] : [text];
}

const parameters: readonly Place[] = [
  {
    name: "path",
    operation: parameter("path"),
    toWire: ({ text }, shape) =>
      text === undefined || shape === "map"
        ? undefined
        : { path: `/${toTexts(encode(text), shape).join(",")}` },
  },
  {
    name: "query",
    operation: parameter("query"),
    toWire: ({ text }, shape) =>
      text === undefined
        ? undefined
        : {
            query: toTexts(encode(text), shape)
              .map((one) => `${shape === "map" ? "k" : "v"}=${one}`)
              .join("&"),
          },
  },
  {
    name: "header",
    operation: parameter("header"),
    toWire: ({ text }, shape) =>
      text === undefined || shape === "map"
        ? undefined
        : { header: toTexts(text, shape).join(",") },
  },
  {
    name: "cookie",
    operation: parameter("cookie"),
    toWire: ({ text }, shape, version) =>
      text === undefined || shape !== "one"
        ? undefined
        : { cookie: `v=${version === "3.2.0" ? encode(text) : encode(text)}` },
  },
];

/** The schemas that a body with the property `v` can have. */
const containers: readonly {
  readonly name: string;
  wrap(schema: JsonObject, register: Register): JsonObject;
}[] = [
  { name: "", wrap: (schema) => schema },
  { name: ", referenced", wrap: (schema, register) => register(schema) },
  { name: ", in allOf", wrap: (schema, register) => ({ allOf: [register(schema), {}] }) },
];

function body(mediaType: string, container: (typeof containers)[number]): Place["operation"] {
  return (property, version, register) => {
    const schema = container.wrap(
      { type: "object", properties: { v: property, other: { type: "string" } } },
      register,
    );
    if (version !== "2.0") {
      return { requestBody: { required: true, content: { [mediaType]: { schema } } }, responses };
    }
    if (mediaType !== "application/json") return undefined;
    return {
      consumes: [mediaType],
      parameters: [{ name: "body", in: "body", required: true, schema }],
      responses,
    };
  };
}

const bodies: readonly Place[] = containers.flatMap((container): Place[] => [
  {
    name: `JSON body${container.name}`,
    operation: body("application/json", container),
    toWire: ({ json }, shape) => ({ json: `{"v":${wrapJson(json, shape)}}` }),
  },
  {
    name: `form${container.name}`,
    operation: body("application/x-www-form-urlencoded", container),
    toWire: ({ text, file }, shape) =>
      text === undefined || file !== undefined || shape === "map"
        ? undefined
        : {
            form: toTexts(encode(text).replaceAll("%20", "+"), shape)
              .map((one) => `v=${one}`)
              .join("&"),
          },
  },
  {
    name: `multipart${container.name}`,
    operation: body("multipart/form-data", container),
    toWire({ text, json, file }, shape) {
      if (shape === "map") {
        return { parts: [{ name: "v", type: "application/json", body: wrapJson(json, shape) }] };
      }
      const part =
        file === undefined
          ? text === undefined
            ? { name: "v", type: "application/json", body: json }
            : { name: "v", body: text }
          : { name: "v", filename: "v", type: file.type, body: file.bytes };
      return { parts: shape === "list" ? [part, part] : [part] };
    },
  },
]);

/** All of them. */
export const places: readonly Place[] = [...parameters, ...bodies];
