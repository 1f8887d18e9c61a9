import type { JsonSchema } from "@toolweave/core";
import { describe, expect, it } from "vitest";
import { portableRules, providerRules } from "../src/rules/all-rules.ts";
import { projection } from "../src/schema/projection.ts";
import { brokenRules, sentA, withA } from "./support/projected.ts";

it.each(Object.values(providerRules))("every rule of $provider has a source", (rules) => {
  const { provider, ...terms } = rules;
  for (const rule of Object.values(terms)) expect(rule.source).toMatch(/^https:\/\//);
  expect(providerRules[provider]).toBe(rules);
});

it("the rules for a provider that is not known have those of OpenAI and Anthropic for schemas", () => {
  const covered = Object.keys(portableRules);
  for (const { toolCount: _count, description: _text, ...rules } of [
    providerRules.openai,
    providerRules.anthropic,
  ]) {
    expect(covered).toEqual(expect.arrayContaining(Object.keys(rules)));
    expect(portableRules.root.without).toEqual(expect.arrayContaining([...rules.root.without]));
  }
});

describe("root", () => {
  const provided = { type: "object", properties: { a: { type: "string" } } } as const;

  it.each(["openai", "openai-strict", "anthropic", "gemini", "bedrock"] as const)(
    "%s gets an object for a union, with the properties of all variants",
    (provider) => {
      const schema: JsonSchema = {
        ...provided,
        oneOf: [
          {
            properties: { kind: { const: "one" }, b: { type: "integer" } },
            required: ["kind", "b"],
          },
          { properties: { kind: { const: "two" } }, required: ["kind"] },
        ],
      };
      expect(brokenRules(schema, provider)).toContain("root");
      const { schema: sent, simplified } = projection(schema, providerRules[provider]);
      expect(brokenRules(sent, provider)).toEqual([]);
      expect(sent["type"]).toBe("object");
      expect(Object.keys(sent["properties"] as object)).toEqual(["a", "kind", "b"]);
      expect(sent["properties"]).toMatchObject({ kind: { enum: ["one", "two"] } });
      expect(simplified).toContainEqual({ path: "/oneOf", rule: "root" });
    },
  );

  it("properties that each variant requires stay required", () => {
    const schema = {
      ...provided,
      properties: { a: {}, b: {}, c: {} },
      anyOf: [{ required: ["a", "b"] }, { required: ["a", "c"] }],
    };
    expect(projection(schema, providerRules.anthropic).schema["required"]).toEqual(["a"]);
  });

  it("allOf is merged, and nothing is lost", () => {
    const schema = {
      type: "object",
      allOf: [
        { properties: { a: { type: "string" } }, required: ["a"] },
        { properties: { a: { maxLength: 3 }, b: { type: "integer" } } },
      ],
    };
    expect(brokenRules(schema, "anthropic")).toEqual(["root"]);
    const { schema: sent, simplified } = projection(schema, providerRules.anthropic);
    expect(sent).toEqual({
      type: "object",
      properties: { a: { type: "string", maxLength: 3 }, b: { type: "integer" } },
      required: ["a"],
    });
    expect(simplified).toEqual([]);
  });

  it("OpenAI gets no `not`", () => {
    const schema = { ...provided, not: { required: ["a", "b"] } };
    expect(brokenRules(schema, "openai")).toEqual(["root"]);
    expect(projection(schema, providerRules.openai).schema).toEqual(provided);
  });

  it("Bedrock gets the type, the properties and the required ones, and nothing else", () => {
    const schema = {
      ...provided,
      $schema: "http://json-schema.org/draft-07/schema#",
      title: "A",
      additionalProperties: false,
    };
    expect(brokenRules(schema, "bedrock")).toEqual(["root", "root", "root"]);
    const { schema: sent, simplified } = projection(schema, providerRules.bedrock);
    expect(sent).toEqual(provided);
    expect(simplified).toEqual([{ path: "/additionalProperties", rule: "root" }]);
  });
});

describe("propertyNames", () => {
  it.each([
    ["anthropic", ["filter[name]", "$top", "a.b-c"], ["filter_name", "top", "a.b-c"]],
    ["bedrock", ["filter[name]", "$top", "a.b-c"], ["filter_name", "top", "a.b-c"]],
    ["gemini", ["filter[name]", "$top", "a.b-c"], ["filter_name", "top", "a_b_c"]],
  ] as const)("%s gets arguments with names that it accepts", (provider, names, sent) => {
    const schema = {
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
      required: ["$top"],
    };
    expect(brokenRules(schema, provider)).toContain("propertyNames");
    const projected = projection(schema, providerRules[provider]);
    expect(brokenRules(projected.schema, provider)).toEqual([]);
    expect(Object.keys(projected.schema["properties"] as object)).toEqual(sent);
    expect(projected.schema["required"]).toEqual(["top"]);
    expect(projected.names.get("top")).toBe("$top");
  });

  it("other keywords with the names are changed with them", () => {
    const schema = {
      type: "object",
      properties: { $top: { type: "integer" } },
      patternProperties: { "^x-": { type: "string" } },
      additionalProperties: false,
      dependentRequired: { $top: ["x-a"] },
    };
    const { schema: sent, simplified } = projection(schema, providerRules.anthropic);
    expect(sent).toEqual({ type: "object", properties: { top: { type: "integer" } } });
    expect(simplified).toEqual([
      { path: "/dependentRequired", rule: "propertyNames" },
      { path: "/patternProperties", rule: "propertyNames" },
    ]);
  });

  it("no two arguments get the same name", () => {
    const schema = { type: "object", properties: { $a: {}, a: {}, a$: {} } };
    const { schema: sent, names } = projection(schema, providerRules.anthropic);
    const sentNames = Object.keys(sent["properties"] as object);
    expect(new Set(sentNames).size).toBe(3);
    expect(sentNames).toContain("a");
    expect([...names.values()].sort()).toEqual(["$a", "a$"]);
  });
});

describe("keywords", () => {
  it.each([
    [{ type: "string", minLength: 1, maxLength: 9 }, { type: "string" }],
    [
      { type: "integer", exclusiveMinimum: 0 },
      { type: "integer", minimum: 0 },
    ],
    [{ const: "x" }, { enum: ["x"] }],
    [
      { type: "array", items: {}, uniqueItems: true },
      { type: "array", items: {} },
    ],
    [
      { type: "object", patternProperties: { "^x": {} }, additionalProperties: false },
      { type: "object" },
    ],
    [{ allOf: [{ type: "string" }, { description: "A." }] }, { type: "string", description: "A." }],
    [{ not: { type: "null" } }, {}],
  ])("Gemini gets of %j the keywords that it supports", (schema, sent) => {
    expect(brokenRules(withA(schema), "gemini")).toContain("keywords");
    expect(sentA(schema, "gemini").a).toEqual(sent);
  });

  it("Gemini, which reads oneOf as anyOf, gets that", () => {
    const variants = [{ type: "string" }, { type: "null" }];
    const { a, rules } = sentA({ oneOf: variants }, "gemini");
    expect(a).toEqual({ anyOf: variants });
    expect(rules).toEqual(["keywords /properties/a/oneOf"]);
  });

  it("OpenAI's strict functions get no default and no oneOf", () => {
    const schema = { type: "string", default: "a", minLength: 1 };
    const { a, rules } = sentA(schema, "openai-strict", { required: ["a"] });
    expect(a).toEqual({ type: "string" });
    expect(rules).toEqual(["keywords /properties/a/minLength"]);
  });
});

describe("references", () => {
  const $defs = {
    node: {
      type: "object",
      properties: { next: { $ref: "#/$defs/node" }, label: { type: "string" } },
    },
  };

  it("Gemini and OpenAI's strict functions get a reference alone, with its description around it", () => {
    const schema = { $ref: "#/$defs/size", description: "How large." };
    const more = { $defs: { size: { type: "string", enum: ["s", "l"] } }, required: ["a"] };
    for (const provider of ["gemini", "openai-strict"] as const) {
      expect(brokenRules(withA(schema, more), provider)).toContain("references");
      const { a, rules } = sentA(schema, provider, more);
      expect(a).toEqual({ description: "How large.", anyOf: [{ $ref: "#/$defs/size" }] });
      expect(rules).toEqual([]);
    }
  });

  it("Bedrock gets the target in place of a reference, and the type of an infinite one", () => {
    expect(brokenRules(withA({ $ref: "#/$defs/node" }, { $defs }), "bedrock")).toContain(
      "references",
    );
    const { a, rules } = sentA({ $ref: "#/$defs/node" }, "bedrock", { $defs });
    expect(a).toEqual({
      type: "object",
      properties: { next: { type: "object" }, label: { type: "string" } },
    });
    expect(rules).toEqual(["references /properties/a/properties/next"]);
  });

  it.each(["openai", "openai-strict", "anthropic", "gemini"] as const)(
    "%s gets a schema that refers to itself unchanged",
    (provider) => {
      const { schema, simplified } = projection(
        withA({ $ref: "#/$defs/node" }, { $defs, required: ["a"] }),
        providerRules[provider],
      );
      expect(brokenRules(schema, provider)).toEqual([]);
      expect(schema).toMatchObject({ $defs: { node: { properties: { label: {} } } } });
      expect(simplified).toEqual([]);
    },
  );

  it("references by anchor, by id, to the root and to a property lead to definitions", () => {
    const schema: JsonSchema = {
      $id: "https://example.org/args",
      type: "object",
      properties: {
        a: { type: "string" },
        b: { $ref: "#/properties/a" },
        c: { $ref: "#here" },
        d: { $ref: "https://example.org/args#/definitions/there" },
        e: { $ref: "#" },
      },
      definitions: { there: { type: "integer" }, other: { $anchor: "here", type: "boolean" } },
    };
    const { schema: sent } = projection(schema, providerRules.anthropic);
    expect(sent["properties"]).toEqual({
      a: { type: "string" },
      b: { $ref: "#/$defs/a" },
      c: { $ref: "#/$defs/here" },
      d: { $ref: "#/$defs/there" },
      e: { $ref: "#/$defs/root" },
    });
    expect(sent["$defs"]).toMatchObject({
      a: { type: "string" },
      here: { type: "boolean" },
      there: { type: "integer" },
      root: { properties: { e: { $ref: "#/$defs/root" } } },
    });
  });
});

describe("a schema in `dependencies` that names no dialect", () => {
  const schema = withA(
    { type: "string" },
    {
      dependencies: { a: { $ref: "#/definitions/b" }, c: ["a"] },
      definitions: { b: { required: ["b"] } },
    },
  );

  it("refers to the definitions that are sent", () => {
    const { schema: sent, simplified } = projection(schema, providerRules.anthropic);
    expect(brokenRules(sent, "anthropic")).toEqual([]);
    expect(sent).toMatchObject({
      dependencies: { a: { $ref: "#/$defs/b" }, c: ["a"] },
      $defs: { b: { required: ["b"] } },
    });
    expect(simplified).toEqual([]);
  });

  it("is reported when a provider does not allow it", () => {
    expect(projection(schema, providerRules.gemini).simplified).toEqual([
      { path: "/dependencies", rule: "keywords" },
    ]);
  });
});

it("dialect: a keyword that describes a value has a value of its kind, too", () => {
  expect(brokenRules(withA({ type: "string", readOnly: "yes" }), "anthropic")).toEqual(["dialect"]);
});

it("dialect: a list of `items` is not of 2020-12", () => {
  expect(brokenRules(withA({ items: [{}] }), "anthropic")).toEqual(["dialect"]);
});

it("recursion: Gemini gets no definition that comes back through required properties", () => {
  const $defs = {
    node: {
      type: "object",
      properties: { next: { $ref: "#/$defs/node" }, other: { $ref: "#/$defs/node" } },
      required: ["next"],
    },
  };
  const schema = withA({ $ref: "#/$defs/node" }, { $defs });
  expect(brokenRules(schema, "gemini")).toEqual(["recursion"]);
  const { schema: sent, simplified } = projection(schema, providerRules.gemini);
  expect(brokenRules(sent, "gemini")).toEqual([]);
  expect(sent["$defs"]).toMatchObject({
    node: { properties: { next: {}, other: { $ref: "#/$defs/node" } } },
  });
  expect(simplified).toEqual([{ path: "/$defs/node/properties/next", rule: "recursion" }]);
});

it("recursion: Gemini gets one that recurses through an optional property", () => {
  const $defs = {
    parent: { type: "object", properties: { child: { $ref: "#/$defs/child" } } },
    child: { type: "object", properties: { of: { $ref: "#/$defs/parent" } }, required: ["of"] },
  };
  const schema = withA({ $ref: "#/$defs/parent" }, { $defs });
  expect(brokenRules(schema, "gemini")).toEqual([]);
  expect(projection(schema, providerRules.gemini)).toMatchObject({ schema, simplified: [] });
});

describe("dialect", () => {
  it("Anthropic gets the keywords of draft-07 as those of 2020-12", () => {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: {
        pair: { type: "array", items: [{ type: "string" }], additionalItems: false },
        above: { type: "number", minimum: 0, exclusiveMinimum: true },
        size: { $ref: "#/definitions/size", maxLength: 1 },
      },
      dependencies: { pair: ["above"], above: { required: ["size"] } },
      definitions: { size: { type: "string" } },
    };
    expect(brokenRules(schema, "anthropic")).toContain("dialect");
    const { schema: sent, simplified } = projection(schema, providerRules.anthropic);
    expect(brokenRules(sent, "anthropic")).toEqual([]);
    expect(simplified).toEqual([]);
    expect(sent).toEqual({
      type: "object",
      properties: {
        pair: { type: "array", prefixItems: [{ type: "string" }], items: false },
        above: { type: "number", exclusiveMinimum: 0 },
        // Beside a reference, draft-07 ignores everything.
        size: { $ref: "#/$defs/size" },
      },
      dependentRequired: { pair: ["above"] },
      dependentSchemas: { above: { required: ["size"] } },
      $defs: { size: { type: "string" } },
    });
  });
});
