import type { JsonSchema } from "@toolweave/core";
import { parseExact } from "@toolweave/core/adapter";
import { expect, it } from "vitest";
import { withLongChoices } from "../../src/listing/long-choices.ts";

it("integers that JavaScript would change are texts in the choices of a schema for a model, and stay different", () => {
  const schema = parseExact(
    `{"type":"object","properties":{
      "id":{"type":"integer","enum":[9007199254740993,9007199254740992,7],"default":725653563933458432},
      "list":{"items":{"const":9007199254740993}},
      "n":{"type":["integer","null"],"default":9007199254740995,"maximum":10}}}`,
  ) as JsonSchema;
  expect(withLongChoices(schema)).toEqual({
    type: "object",
    properties: {
      id: {
        type: ["string", "integer"],
        enum: ["9007199254740993", 9007199254740992, 7],
        default: "725653563933458432",
      },
      list: { items: { const: "9007199254740993" } },
      n: { type: ["string", "integer", "null"], default: "9007199254740995", maximum: 10 },
    },
  });
});

it("a schema without such integers is the same object", () => {
  const schema = parseExact('{"type":"object","properties":{"id":{"enum":[1,2]}}}') as JsonSchema;
  expect(withLongChoices(schema)).toBe(schema);
});
