import { ajvValidator, type JsonSchema, type JsonValue } from "@toolweave/core";
import { describe, expect, test } from "vitest";

const circle = {
  type: "object",
  properties: { type: { const: "circle" }, radius: { type: "number" } },
  required: ["type", "radius"],
};
const square = {
  type: "object",
  properties: { type: { enum: ["square"] }, side: { type: "number" } },
  required: ["type", "side"],
};

async function problems(schema: JsonSchema, value: JsonValue): Promise<string[] | undefined> {
  const check = await ajvValidator().compile(schema);
  return check(value)?.map(({ path, message }) => `${path} ${message}`);
}

describe.each<[string, JsonSchema]>([
  ["written inline", { properties: { shapes: { items: { oneOf: [circle, square] } } } }],
  [
    "that are definitions",
    {
      properties: { shapes: { items: { $ref: "#/$defs/Shape" } } },
      $defs: {
        Shape: { anyOf: [{ $ref: "#/$defs/Circle" }, { $ref: "#/$defs/Square" }] },
        Circle: circle,
        Square: square,
      },
    },
  ],
])("of branches %s", (_, schema) => {
  test("the one that the discriminator names has the problem", async () => {
    expect(await problems(schema, { shapes: [{ type: "square" }] })).toEqual([
      "/shapes/0/side is required",
    ]);
  });

  test("all discriminators are listed once if the value names none", async () => {
    expect(await problems(schema, { shapes: [{ type: "cube", side: 1 }] })).toEqual([
      '/shapes/0/type must be one of "circle", "square"',
    ]);
  });

  test("without a discriminator, all have a problem", async () => {
    expect(await problems(schema, { shapes: [7] })).toContainEqual(
      expect.stringContaining("/shapes/0 must have one of the allowed shapes"),
    );
  });

  test("errors elsewhere are kept", async () => {
    const strict = { ...schema, required: ["name"] };
    expect(await problems(strict, { shapes: [{ type: "circle" }] })).toEqual([
      "/name is required",
      "/shapes/0/radius is required",
    ]);
  });
});

describe("of branches without constants", () => {
  const byMail = {
    type: "object",
    properties: { mail: { type: "string" }, name: { $ref: "#/$defs/Name" } },
    required: ["mail", "name"],
  };
  const byPhone = {
    type: "object",
    properties: { phone: { type: "string" }, name: { $ref: "#/$defs/Name" } },
    required: ["phone", "country", "name"],
  };
  const $defs = { ByMail: byMail, ByPhone: byPhone, Name: { type: "string", minLength: 1 } };
  const anyOf = [{ $ref: "#/$defs/ByMail" }, { $ref: "#/$defs/ByPhone" }];

  test("the one that is closest to the value has the problem, and is named", async () => {
    expect(await problems({ properties: { to: { anyOf } }, $defs }, { to: { mail: "m" } })).toEqual(
      [
        "/to/name is required",
        "/to must have one of the allowed shapes: ByMail (closest), ByPhone",
      ],
    );
  });

  test("the one with the value's type is closest", async () => {
    const schema = {
      properties: { to: { anyOf: [...anyOf, { type: "string", minLength: 3 }] } },
      $defs,
    };
    expect(await problems(schema, { to: "m" })).toEqual([
      "/to must NOT have fewer than 3 characters",
      "/to must have one of the allowed shapes: ByMail, ByPhone, string (closest)",
    ]);
  });

  test("several that are equally close all have a problem", async () => {
    const schema = {
      anyOf: [
        { title: "A", required: ["a"] },
        { title: "B", required: ["b"] },
      ],
    };
    expect(await problems(schema, {})).toEqual([
      "/a is required",
      "/b is required",
      " must have one of the allowed shapes: A, B",
    ]);
  });

  test("several that match where one is allowed are named", async () => {
    const schema = {
      oneOf: [{ title: "Any", type: "object" }, { type: "string" }, { required: ["a"] }],
    };
    expect(await problems(schema, { a: 1 })).toEqual([
      " must have exactly one of the allowed shapes, and has several: Any, shape 3",
    ]);
  });
});

test("a constant beside a reference, or behind one, selects the branch", async () => {
  const schema = {
    anyOf: [
      { $ref: "#/$defs/Cat", properties: { kind: { const: "Cat" } } },
      { $ref: "#/$defs/Dog", properties: { kind: { enum: ["Dog", "Hound"] } } },
      { $ref: "#/$defs/Bird" },
      { $ref: "#/$defs/Pet", properties: { kind: { not: { enum: ["Cat", "Dog", "Hound"] } } } },
    ],
    $defs: {
      Pet: { type: "object", properties: { kind: { type: "string" }, near: { $ref: "#" } } },
      Cat: { allOf: [{ $ref: "#/$defs/Pet" }, { required: ["purr"] }] },
      Dog: { allOf: [{ $ref: "#/$defs/Pet" }, { required: ["bark"] }] },
      Bird: {
        allOf: [
          { $ref: "#/$defs/Pet" },
          { properties: { kind: { const: "Bird" } }, required: ["song"] },
        ],
      },
    },
  };
  expect(await problems(schema, { kind: "Cat" })).toEqual(["/purr is required"]);
  expect(await problems(schema, { kind: "Hound" })).toEqual(["/bark is required"]);
  expect(await problems(schema, { kind: "Fish", near: { kind: "Cat" } })).toContain(
    "/near/purr is required",
  );
});

test("problems behind `dependencies` and lists of items belong to the branch that has them", async () => {
  const branch = (name: string, part: JsonSchema) => ({
    properties: { kind: { const: name } },
    required: ["kind"],
    ...part,
  });
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    anyOf: [
      branch("dependent", { dependencies: { a: { required: ["b"] } } }),
      branch("list", { properties: { kind: { const: "list" }, c: { items: [{ type: "null" }] } } }),
      branch("free", { required: ["kind", "d"] }),
    ],
  };
  expect(await problems(schema, { kind: "free", a: 1, c: [1] })).toEqual(["/d is required"]);
});
