import type { JsonObject, JsonSchema } from "@toolweave/core";
import { expect, test } from "vitest";
import { layoutArguments, type ArgumentLayout } from "../../src/arguments/argument-layout.ts";
import { toInputSchema } from "../../src/arguments/input-schema.ts";
import type { OperationDetails } from "../../src/document/operation.ts";
import { body, details, media, parameter, createSchema } from "../support/operations.ts";

const pet: JsonSchema = {
  type: "object",
  required: ["name"],
  properties: { name: { type: "string" }, tag: { type: "string" } },
};

function schemaFor(given: Partial<OperationDetails>): JsonSchema {
  const none = { headers: new Set<string>(), cookies: [] };
  return toInputSchema(layoutArguments(details(given), "/", "", none));
}

function listArguments(given: Partial<OperationDetails>): string[] {
  return Object.keys(schemaFor(given)["properties"] as JsonObject);
}

test("a body has an argument for its media type only if another type can carry values that the first cannot", () => {
  const file = { type: "string", format: "binary" };
  const upload = { type: "object", properties: { name: { type: "string" }, file } };
  const both = (...types: ReturnType<typeof media>[]): string[] =>
    listArguments({ body: body(types) });
  const form = media("multipart/form-data", pet);
  expect(both(media("application/json", pet), form)).toEqual(["name", "tag"]);
  expect(both(media("application/json", pet), media("application/xml", pet))).toEqual([
    "name",
    "tag",
  ]);
  expect(both(media("application/json", upload), media("multipart/form-data", upload))).toEqual([
    "name",
    "file",
  ]);
  const files = media("multipart/form-data", upload);
  expect(both(media("application/json", pet), files)).toEqual([
    "name",
    "tag",
    "file",
    "content_type",
  ]);
  const image = media("image/png", file);
  expect(schemaFor({ body: body([media("application/json", pet), image]) })).toMatchObject({
    properties: {
      body: { type: "string", contentEncoding: "base64" },
      name: { type: "string" },
      content_type: { enum: ["application/json", "image/png"] },
    },
  });
  expect(schemaFor({ body: body([image, media("image/jpeg", file)]) })["required"]).toEqual([
    "body",
  ]);
});

test("parameters that would be sent under the names of others are omitted, with a warning", () => {
  const object = { type: "object", properties: { page: {}, size: {} } };
  const layout = (schema: JsonSchema): ArgumentLayout =>
    layoutArguments(
      details({
        parameters: [
          parameter({ name: "page", in: "query" }),
          parameter({ name: "size", in: "query" }),
          parameter({ name: "paging", in: "query", schema: createSchema(schema) }),
        ],
      }),
      "/",
      "",
      { headers: new Set(), cookies: [] },
    );
  const { parameters, warnings } = layout(object);
  expect(parameters.map(({ argument }) => argument)).toEqual(["page", "size"]);
  expect(warnings).toEqual([
    'The keys "page", "size" of its parameter "paging" would be sent under the names of other parameters: it is omitted.',
  ]);
  const more = layout({ ...object, properties: { ...object.properties, sort: {} } });
  expect(more.parameters.map(({ argument }) => argument)).toEqual(["page", "size", "paging"]);
  expect(layout({ type: "object" }).warnings).toEqual([]);
});
