import type { JsonObject } from "@toolweave/core";
import { expect, test } from "vitest";
import { sampleArguments } from "../../src/index.ts";

const schema = {
  type: "object",
  required: ["id"],
  properties: {
    id: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    tags: { type: "array", items: { type: "string" } },
    file: { type: "string", contentEncoding: "base64" },
    page: { type: "string", format: "uri", pattern: "^https://" },
    owner: {
      type: "object",
      properties: { address: { type: "object", properties: { city: { type: "string" } } } },
    },
  },
} satisfies JsonObject;

function drawn(style: "least" | "whole"): readonly JsonObject[] {
  return sampleArguments(schema, { style, seed: 1, count: 50 });
}

test("the same seed generates the same arguments", () => {
  expect(drawn("whole")).toEqual(drawn("whole"));
});

test("least arguments contain only required members and ordinary numbers", () => {
  for (const args of drawn("least")) {
    expect(Object.keys(args)).toEqual(["id"]);
    expect(args["id"]).toSatisfy((id: number) => id >= 1 && id <= 100);
  }
});

test("whole arguments contain everything that the schema names, and nothing empty", () => {
  for (const { tags, file, page, owner } of drawn("whole")) {
    expect(tags).not.toHaveLength(0);
    expect(Buffer.from(file as string, "base64")).not.toHaveLength(0);
    expect(page).toMatch(/^https:/);
    expect(owner).toEqual({ address: { city: expect.any(String) } });
  }
});
