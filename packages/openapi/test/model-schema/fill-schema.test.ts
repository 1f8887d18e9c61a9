import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import { expect, test } from "vitest";
import { getSchemaBudget } from "../../src/model-schema/schema-budget.ts";
import { abridgeSchema } from "../../src/model-schema/model-schema.ts";

const short = getSchemaBudget("short", 1);
const long = "What it is for, who may set it, and what happens if it is not set at all. ".repeat(3);

function root(body: JsonObject, $defs: JsonObject = {}): JsonSchema {
  const properties = { zone_id: { type: "string" }, body };
  return { type: "object", properties, required: ["zone_id", "body"], $defs };
}

function modelBody(schema: JsonSchema): JsonObject {
  const abridged = abridgeSchema(schema, "create_record", short);
  expect(JSON.stringify(abridged).length).toBeLessThanOrEqual(short.size);
  expect(abridged["description"]).toMatch(/marks omitted parts/);
  return (abridged["properties"] as JsonObject)["body"] as JsonObject;
}

/** Twenty kinds of records, each with shared parts and its own. */
function recordDefinitions(): JsonObject {
  const shared = (): JsonObject => ({
    type: "object",
    required: ["name", "ttl"],
    properties: {
      name: { type: "string", maxLength: 255, description: `Full name of the record. ${long}` },
      ttl: {
        anyOf: [
          { type: "number", minimum: 30, maximum: 86400 },
          { type: "number", enum: [1] },
        ],
      },
      proxied: { type: "boolean", default: false, description: long },
      tags: { type: "array", items: { type: "string", maxLength: 9 }, description: long },
      settings: {
        type: "object",
        properties: { flatten: { type: "boolean" }, ipv4_only: { type: "boolean" } },
      },
    },
  });
  const kinds = Array.from({ length: 20 }, (_, index) => `K${index}`);
  const data = (kind: string): JsonObject => ({
    type: "object",
    properties: Object.fromEntries(
      ["port", "weight", "priority", "target"].map((name) => [
        `${name}_${kind}`,
        { type: "integer", minimum: 0, description: long },
      ]),
    ),
  });
  const records = kinds.map((kind, index): [string, JsonValue] => [
    `${kind}Record`,
    {
      allOf: [
        {
          type: "object",
          required: ["type"],
          properties: {
            type: { type: "string", enum: [kind], description: `The kind of record. ${long}` },
            ...(index < 10
              ? { content: { type: "string", description: `Content of ${kind}. ${long}` } }
              : { data: data(kind) }),
          },
        },
        shared(),
      ],
    },
  ]);
  return Object.fromEntries(records);
}

test("a body of many kinds has the properties that all have, and the own ones of each", () => {
  const $defs = recordDefinitions();
  const oneOf = Object.keys($defs).map((name) => ({ $ref: `#/$defs/${name}` }));
  const body = modelBody(root({ $ref: "#/$defs/Body" }, { ...$defs, Body: { oneOf } }));
  expect(body["required"]).toEqual(["type", "name", "ttl"]);
  const kinds = Array.from({ length: 20 }, (_, index) => `K${index}`);
  expect(body["properties"]).toMatchObject({
    type: { type: "string", enum: kinds },
    name: { type: "string", maxLength: 255, description: "Full name of the record." },
    ttl: { type: "number" },
    proxied: { type: "boolean", default: false },
    tags: { type: "array", items: { type: "string" } },
    settings: { properties: { flatten: { type: "boolean" }, ipv4_only: { type: "boolean" } } },
  });
  const branches = body["anyOf"] as JsonObject[];
  expect(branches[0]?.["properties"]).toEqual({
    type: { enum: ["K0"] },
    content: { type: "string" },
  });
  expect(branches[10]?.["properties"]).toEqual({
    type: { enum: ["K10"] },
    data: { type: "object", description: "[…]" },
  });
});

test("a body of hundreds of properties has the required ones, and as many others as fit", () => {
  const names = Array.from({ length: 300 }, (_, index) => `Parameter${index}.Name`);
  const required = ["Parameter250.Name", "Parameter299.Name"];
  const properties = Object.fromEntries(
    names.map((name) => [name, { type: "string", description: long }]),
  );
  const body = modelBody(root({ type: "object", required, properties }));
  const abridged = body["properties"] as JsonObject;
  expect(Object.keys(abridged).slice(0, 3)).toEqual([...required, "Parameter0.Name"]);
  expect(Object.keys(abridged).length).toBeGreaterThan(80);
  expect(abridged["Parameter0.Name"]).toEqual({ type: "string" });
  expect(body["required"]).toEqual(required);
  // Names of the omitted ones, and the marker.
  expect(body["description"]).toMatch(/^Parameter\d+\.Name, .*Parameter\d+\.Name \[…\]$/);
});

test("a body that contains itself has its properties level by level, as far as they fit", () => {
  const clause = (name: string): JsonValue => ({
    type: "object",
    description: `The clause ${name}. ${long}`,
    properties: {
      boost: { type: "number", description: long },
      query: { $ref: "#/$defs/Query" },
      filters: { type: "array", items: { $ref: "#/$defs/Query" } },
      [`${name}_of`]: { oneOf: [{ type: "string" }, { $ref: `#/$defs/Options` }] },
    },
  });
  const names = Array.from({ length: 130 }, (_, index) => `clause_${index}`);
  const $defs = {
    Query: {
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, clause(name)])),
    },
    Options: { type: "object", required: ["mode"], properties: { mode: { enum: ["a", "b"] } } },
  };
  const body = modelBody(
    root(
      {
        type: "object",
        properties: { size: { type: "integer" }, query: { $ref: "#/$defs/Query" } },
      },
      $defs,
    ),
  );
  const { size, query } = body["properties"] as JsonObject;
  expect(size).toEqual({ type: "integer" });
  const { properties: clauses = {}, description } = query as JsonObject;
  const listed = Object.keys(clauses as JsonObject);
  expect(listed.length).toBeGreaterThan(80);
  for (const clause of Object.values(clauses as JsonObject)) {
    expect(clause).toEqual({ type: "object", description: expect.stringMatching(/\[…\]$/) });
  }
  // The names of the others, and the marker.
  expect(description).toMatch(new RegExp(`^clause_${listed.length}, .*\\[…\\]$`));
});

test("the properties that replace a too large body cost a bounded number of steps", () => {
  // Each level refers twice to the next: a naive read visits 2^40 schemas.
  const $defs: JsonObject = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => {
      const next = { $ref: `#/$defs/L${index + 1}` };
      const member = { type: "object", properties: { a: next, b: next, c: { description: long } } };
      return [`L${index}`, { anyOf: [next, { allOf: [next, member] }] }];
    }),
  );
  const wide = Object.fromEntries(names300().map((name) => [name, { $ref: "#/$defs/L0" }]));
  const schema = root(
    { type: "object", properties: wide },
    { ...$defs, L40: { type: "object", properties: { z: { type: "string", format: "date" } } } },
  );
  const body = modelBody(schema);
  expect(Object.keys(body["properties"] as JsonObject).length).toBeGreaterThan(50);
});

function names300(): string[] {
  return Array.from({ length: 300 }, (_, index) => `part_${index}`);
}
