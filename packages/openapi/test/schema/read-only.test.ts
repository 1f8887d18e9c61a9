import type { JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { onlyDetails, standalone } from "../support/open-documents.ts";
import { request, response } from "./support/translate.ts";

describe("read-only and write-only properties", () => {
  const schemas = {
    Id: { type: "integer", readOnly: true },
    Base: { properties: { created: { type: "string", readOnly: true } } },
    User: {
      type: "object",
      properties: {
        id: { $ref: "#/components/schemas/Id" },
        name: { type: "string" },
        password: { type: "string", writeOnly: true },
      },
      required: ["id", "name", "password", "created"],
      allOf: [{ $ref: "#/components/schemas/Base" }, { required: ["id"] }],
    },
  };
  const user = { $ref: "#/components/schemas/User" };

  test("are left out of requests and of responses, from required too", async () => {
    const content = { "application/json": { schema: user } };
    const { body } = await onlyDetails(
      "3.0.0",
      { requestBody: { content }, responses: { 200: { content } } },
      { components: { schemas } },
    );
    expect(standalone(body?.media[0]?.schema as never)).toEqual({
      $ref: "#/$defs/User",
      $defs: {
        Base: { properties: {} },
        User: {
          type: "object",
          properties: { name: { type: "string" }, password: { type: "string", writeOnly: true } },
          required: ["name", "password"],
          allOf: [{ $ref: "#/$defs/Base" }, {}],
        },
      },
    });
    expect(await response("3.0.0", user, schemas)).toMatchObject({
      $defs: {
        User: {
          properties: { id: { $ref: "#/$defs/Id" }, name: { type: "string" } },
          required: ["id", "name", "created"],
        },
      },
    });
  });

  test("are sent where they are required of a schema that no response has", async () => {
    const { $defs } = (await request("3.0.0", user, schemas)) as { $defs: JsonObject };
    expect($defs).toMatchObject({
      User: { properties: { id: { $ref: "#/$defs/Id" } }, required: ["name", "password"] },
    });
  });

  test.each<[string, JsonObject]>([
    [
      "behind a discriminator",
      { Pet: { type: "object", discriminator: { propertyName: "kind" } } },
    ],
    [
      "behind a mapping",
      {
        Pet: {
          type: "object",
          discriminator: { propertyName: "kind", mapping: { cat: "#/components/schemas/Cat" } },
        },
      },
    ],
  ])("are left out of requests when a response has the schema %s", async (_, pet) => {
    const cat = {
      required: ["id"],
      properties: { id: { type: "string", readOnly: true } },
      allOf: [{ $ref: "#/components/schemas/Pet" }],
    };
    const of = (name: string): JsonObject => ({
      content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
    });
    const { body } = await onlyDetails(
      "3.0.0",
      { requestBody: of("Cat"), responses: { 200: of("Pet") } },
      { components: { schemas: { ...pet, Cat: cat } } },
    );
    const schema = standalone(body?.media[0]?.schema as never);
    expect(schema).toHaveProperty(["$defs", "Cat", "properties"], {});
  });

  test("an enum without null is never sent as null, and may be answered so", async () => {
    const schemas = { A: { type: "string", nullable: true, enum: ["a"] } };
    const schema = { $ref: "#/components/schemas/A" };
    expect(await request("3.0.3", schema, schemas)).toEqual({
      $ref: "#/$defs/A",
      $defs: { A: { type: "string", enum: ["a"] } },
    });
    expect(await response("3.0.3", schema, schemas)).toEqual({
      $ref: "#/$defs/A",
      $defs: { A: { type: ["string", "null"], enum: ["a", null] } },
    });
  });

  test("schemas without them are one object in both directions", async () => {
    const schema = { $ref: "#/components/schemas/A" };
    const { body, responses } = await onlyDetails(
      "3.0.0",
      {
        requestBody: { content: { "a/b": { schema } } },
        responses: { 200: { content: { "a/b": { schema } } } },
      },
      { components: { schemas: { A: { type: "string", nullable: true } } } },
    );
    const sent = body?.media[0]?.schema.defs.get("A");
    expect(sent).toEqual({ type: ["string", "null"] });
    expect(responses[0]?.media[0]?.schema.defs.get("A")).toBe(sent);
  });
});
