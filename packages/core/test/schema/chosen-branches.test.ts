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
  ["written in place", { properties: { shapes: { items: { oneOf: [circle, square] } } } }],
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
  test("the one that the value names says what is wrong", async () => {
    expect(await problems(schema, { shapes: [{ type: "square" }] })).toEqual([
      "/shapes/0/side is required",
    ]);
  });

  test("all that could be named are listed once when it names none", async () => {
    expect(await problems(schema, { shapes: [{ type: "cube", side: 1 }] })).toEqual([
      '/shapes/0/type must be one of "circle", "square"',
    ]);
  });

  test("which nothing tells apart, all say what is wrong", async () => {
    expect(await problems(schema, { shapes: [7] })).toContain(
      "/shapes/0 must have one of the allowed shapes",
    );
  });

  test("errors elsewhere stay", async () => {
    const strict = { ...schema, required: ["name"] };
    expect(await problems(strict, { shapes: [{ type: "circle" }] })).toEqual([
      "/name is required",
      "/shapes/0/radius is required",
    ]);
  });
});
