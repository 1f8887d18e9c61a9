import type { JsonObject } from "@toolweave/core";
import { describe, expect, it } from "vitest";
import { parameterHeaders } from "../../../src/transport/http/parameter-headers.ts";

const schema = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const annotated = (name: string, type = "string", more: JsonObject = {}): JsonObject => ({
  type,
  "x-mcp-header": name,
  ...more,
});

describe("arguments in headers", () => {
  it("follow the annotations of the input schema, at any depth of properties", () => {
    const headers = parameterHeaders(
      schema({
        region: annotated("Region"),
        count: annotated("Count", "integer"),
        deep: schema({ dry: annotated("Dry-Run", "boolean") }),
        other: { type: "string", default: { "x-mcp-header": "no schema" } },
        "x-mcp-header": { type: "string" },
      }),
    );
    expect(headers.fault).toBeUndefined();
    const args = { region: "eu", count: 7, deep: { dry: false }, other: "x", "x-mcp-header": "y" };
    expect(headers.from(args)).toEqual({
      "mcp-param-region": "eu",
      "mcp-param-count": "7",
      "mcp-param-dry-run": "false",
    });
    expect(headers.from({ region: null, count: 2 ** 60 })).toEqual({});
  });

  it("have no cost without annotations", () => {
    expect(parameterHeaders(schema({ a: { type: "string" } })).from({ a: "x" })).toBeUndefined();
  });

  it.each([
    ["a\r\nX-Evil: 1", "=?base64?YQ0KWC1FdmlsOiAx?="],
    ["Jürgen", "=?base64?SsO8cmdlbg==?="],
    [" padded ", "=?base64?IHBhZGRlZCA=?="],
    ["", "=?base64??="],
    ["=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="],
    ["plain, with\ttab", "plain, with\ttab"],
  ])("MC24: the value %j is sent as %j", (value, sent) => {
    const headers = parameterHeaders(schema({ a: annotated("A") }));
    expect(headers.from({ a: value })).toEqual({ "mcp-param-a": sent });
  });

  it.each([
    ["with a space", schema({ a: annotated("Bad Header") })],
    ["with a line break", schema({ a: annotated("A\r\nX-Evil: 1") })],
    ["that is empty", schema({ a: annotated("") })],
    ["of a credential", schema({ a: annotated("Authorization") })],
    ["that differs from another in case only", schema({ a: annotated("Up"), b: annotated("uP") })],
    ["on a number", schema({ a: annotated("A", "number") })],
    ["on an object", schema({ a: annotated("A", "object") })],
    ["on the schema itself", schema({}, { "x-mcp-header": "A" })],
    ["in a list", schema({ a: { type: "array", items: annotated("A") } })],
    ["in an alternative", schema({}, { anyOf: [schema({ a: annotated("A") })] })],
    ["in a definition", schema({}, { $defs: { a: annotated("A") } })],
  ])("MC24: a name %s is a fault of the tool", (_, inputSchema) => {
    const { fault, from: of } = parameterHeaders(inputSchema);
    expect(fault).toContain("x-mcp-header");
    expect(of({ a: "x" })).toBeUndefined();
  });

  it.each([{ writeOnly: true }, { format: "password" }, { "x-secret": true }])(
    "MC25: an argument that is %j is not sent in a header",
    (secret) => {
      const headers = parameterHeaders(
        schema({ region: annotated("Region"), key: annotated("Key", "string", secret) }),
      );
      expect(headers.withheld).toEqual(["key"]);
      expect(headers.from({ region: "eu", key: "s3cret" })).toEqual({ "mcp-param-region": "eu" });
    },
  );

  it("MC25: an argument inside a secret one, or that may be one by a reference, is not sent either", () => {
    const inside = schema({ login: schema({ key: annotated("Key") }, { writeOnly: true }) });
    expect(parameterHeaders(inside).from({ login: { key: "s3cret" } })).toBeUndefined();
    const referred = schema(
      { key: annotated("Key", "string", { $ref: "#/$defs/key" }) },
      { $defs: { key: { writeOnly: true } } },
    );
    expect(parameterHeaders(referred).withheld).toEqual(["key"]);
    const conditional = schema(
      { key: annotated("Key") },
      { if: schema({ key: { writeOnly: true } }) },
    );
    expect(parameterHeaders(conditional).withheld).toEqual(["key"]);
  });
});
