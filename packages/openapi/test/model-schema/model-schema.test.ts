import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fillSchema } from "../../src/model-schema/fill-schema.ts";
import { getSchemaBudget, type SchemaBudget } from "../../src/model-schema/schema-budget.ts";
import { abridgeSchema } from "../../src/model-schema/model-schema.ts";
import { openSource, findTool } from "../support/call-tool.ts";
import { createRandom, randomValue, tampered } from "../support/random-value.ts";

const short = getSchemaBudget("short", 1);
const full = getSchemaBudget("full", 1);

function root(properties: JsonObject, more: JsonObject = {}): JsonSchema {
  return { type: "object", properties, additionalProperties: false, ...more };
}

function modelProperty(schema: JsonObject, budget: SchemaBudget = short, name = "it"): JsonValue {
  const { properties } = abridgeSchema(root({ [name]: schema }), "do_this", budget);
  return (properties as JsonObject)[name] as JsonValue;
}

describe("a description", () => {
  test("is its first sentence, and more as far as it fits, without markup and references to pages", () => {
    const of = (description: string): unknown =>
      (modelProperty({ type: "string", description }) as JsonObject)["description"];
    expect(
      of("The **colour** of the `roof`. For more information, see [Roofs](https://a.b/c)."),
    ).toBe("Colour of the roof.");
    expect(of("One. Two. Three. And a fourth sentence that is rather long.")).toBe(
      "One. Two. Three.",
    );
    expect(of(`${"word ".repeat(40)}end.`)).toMatch(/^(word ){10,20}\[…\]$/);
    expect(of("Colour.\n\nDefaults to `red`.")).toBe("Colour.");
  });

  test("keeps a prohibition that also refers to a page", () => {
    const description = "For your safety, never send it twice, see [Twice](https://a.b/c).";
    expect(modelProperty({ type: "string", description })).toMatchObject({
      description: expect.stringMatching(/never send it twice/) as string,
    });
  });

  test("is omitted if it only repeats the names beside it", () => {
    const schema = root({
      gist_id: { type: "string", description: "The unique identifier of the gist." },
      hook: { type: "string", description: "The ID of the hook's repository." },
    });
    expect(abridgeSchema(schema, "get_repository_hook", short)["properties"]).toEqual({
      gist_id: { type: "string" },
      hook: { type: "string" },
    });
    expect(JSON.stringify(abridgeSchema(schema, "get_repository_hook", full))).toContain(
      "of the gist.",
    );
  });

  test("belongs to its own tool, though several share the schema of a parameter", () => {
    const ref: JsonSchema = {
      type: "string",
      minLength: 1,
      description: "The name of the branch.",
    };
    const of = (tool: string, budget: SchemaBudget, more: JsonObject = {}): JsonValue => {
      const { properties } = abridgeSchema(root({ ref }, more), tool, budget);
      return (properties as JsonObject)["ref"] as JsonValue;
    };
    for (let round = 0; round < 2; round++) {
      expect(of("get_commit", short)).toEqual({ ...ref, description: "Name of the branch." });
      expect(of("get_branch", short)).toEqual({ type: "string", minLength: 1 });
      expect(of("get_branch", short, { required: ["ref"] })).toEqual({ type: "string" });
      expect(of("get_branch", full)).toEqual(ref);
    }
  });

  test("always has the original name of a renamed argument", () => {
    const description = `${"A long explanation of what it does, and why. ".repeat(4)}\n\nSent as f[x].`;
    expect(modelProperty({ description })).toEqual({
      description: "Long explanation of what it does, and why. Sent as f[x].",
    });
  });

  test("is unchanged, and truncated at a paragraph, if there is room", () => {
    const description = `**Bold** text.\n\n${"x".repeat(500)}`;
    expect(modelProperty({ description }, full)).toEqual({ description: "**Bold** text. […]" });
  });
});

describe("the model's version of a schema", () => {
  test("has all arguments, requirements, formats, choices and bounds", () => {
    const schema = {
      type: "object",
      required: ["on"],
      properties: {
        on: { type: "string", format: "date-time", title: "On", readOnly: false },
        size: { type: "integer", minimum: 1, maximum: 9, default: 3, deprecated: true },
        kind: { type: "string", enum: ["a", "b"], examples: ["a"] },
      },
    };
    expect(modelProperty(schema)).toEqual({
      type: "object",
      required: ["on"],
      properties: {
        on: { type: "string", format: "date-time" },
        size: { type: "integer", minimum: 1, maximum: 9, default: 3, deprecated: true },
        kind: { type: "string", enum: ["a", "b"] },
      },
    });
  });

  test("has a definition inline if it is used once, and under $defs if it is used again", () => {
    const pet = {
      type: "object",
      properties: { name: { type: "string" }, age: { type: "integer" } },
    };
    const once = { $ref: "#/$defs/Pet", description: "Whom it is about." };
    expect(abridgeSchema(root({ a: once }, { $defs: { Pet: pet } }), "x", short)).toEqual({
      type: "object",
      properties: { a: { ...pet, description: "Whom it is about." } },
    });
    const twice = root(
      { a: { $ref: "#/$defs/Pet" }, b: { $ref: "#/$defs/Pet" } },
      { $defs: { Pet: pet } },
    );
    expect(abridgeSchema(twice, "x", short)).toEqual({
      type: "object",
      properties: twice["properties"],
      $defs: { Pet: pet },
    });
  });

  test("can refer to itself", () => {
    const tree = { type: "object", properties: { left: { $ref: "#/$defs/Tree" } } };
    const schema = root({ tree: { $ref: "#/$defs/Tree" } }, { $defs: { Tree: tree } });
    expect(abridgeSchema(schema, "x", short)["$defs"]).toEqual({ Tree: tree });
  });

  test("describes deep parts in a few words, and once how to learn more", () => {
    const nested = (depth: number): JsonObject =>
      depth === 0
        ? { type: "object", required: ["a"], properties: { a: {}, b: {} } }
        : { type: "object", properties: { in: nested(depth - 1) } };
    const abridged = abridgeSchema(root({ out: nested(8) }), "x", short);
    expect(JSON.stringify(abridged)).toContain('{"type":"object","description":"in […]"}');
    expect(abridged["description"]).toMatch(/\[…\].*error/);
    expect(JSON.stringify(abridgeSchema(root({ out: nested(5) }), "x", short))).toContain(
      '{"type":"object","description":"a*, b […]"}',
    );
  });

  test("fits, however large the original is, and drops no argument", () => {
    const leaf = (index: number): JsonObject => ({
      type: "object",
      required: ["kind"],
      properties: {
        kind: { type: "string", enum: [`kind_${index}`] },
        value: {
          type: "object",
          properties: { deep: { type: "string", description: "x ".repeat(200) } },
        },
      },
    });
    const many = Array.from({ length: 200 }, (_, index) => leaf(index));
    const schema = root(
      { id: { type: "string" }, all: { type: "array", items: { oneOf: many } } },
      { required: ["id", "all"] },
    );
    const abridged = abridgeSchema(schema, "x", short);
    expect(JSON.stringify(abridged).length).toBeLessThanOrEqual(short.size);
    expect(abridged["required"]).toEqual(["id", "all"]);
    const kinds = many.map((_, index) => `kind_${index}`);
    expect(abridged["properties"]).toMatchObject({
      all: { items: { properties: { kind: { enum: kinds }, value: {} }, required: ["kind"] } },
    });
  });

  test("has patterns and choices that a model must follow, unless they are very long", () => {
    const pattern = `^(?:${"[a-z]{4}".repeat(10)})?$`;
    const choices = Array.from({ length: 100 }, (_, index) => `value ${index}`);
    const kept = { type: "string", pattern, enum: choices };
    expect(modelProperty(kept)).toEqual(kept);
    expect(modelProperty({ type: "string", pattern: pattern.repeat(2) })).toEqual({
      type: "string",
    });
  });

  test("does not describe in a few words that a required text must not be empty", () => {
    const text = { type: "string", minLength: 1 };
    const schema = root(
      { id: text, of: { $ref: "#/$defs/Of", minLength: 1 }, note: text, more: { items: text } },
      { required: ["id", "of", "more"], $defs: { Of: { type: "string", maxLength: 9 } } },
    );
    expect(abridgeSchema(schema, "x", short)["properties"]).toEqual({
      id: { type: "string" },
      of: { type: "string", maxLength: 9 },
      note: text,
      more: { items: text },
    });
    expect(abridgeSchema(schema, "x", full)["properties"]).toMatchObject({ id: text });
  });

  test("has the first of too many choices", () => {
    const values = Array.from({ length: 500 }, (_, index) => `value ${index}`);
    const abridged = modelProperty({ type: "string", enum: values }) as JsonObject;
    expect(abridged["enum"]).toBeUndefined();
    expect(abridged["description"]).toMatch(/^One of 500: "value 0", "value 1".* \[…\]$/);
  });
});

describe("a value that is valid for the arguments", () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });

  const names = ["a", "b", "c"] as const;
  const { schema } = fc.letrec<{ schema: JsonObject; leaf: JsonObject }>((tie) => {
    const some = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
    const members = fc.dictionary(fc.constantFrom(...names), tie("schema"), { maxKeys: 3 });
    return {
      leaf: fc.oneof(
        fc.constantFrom<JsonObject>(
          {},
          { type: "string" },
          { type: ["integer", "null"] },
          { type: "integer", minimum: 1 },
          { enum: ["x", 0, null] },
          { const: "x" },
          { type: "array", items: { type: "string" }, uniqueItems: true },
          { $ref: "#/$defs/One" },
          { $ref: "#/$defs/Two", description: "The second one." },
          { $ref: "#/$defs/Two", properties: { a: { type: "string" } } },
          { not: { type: "string" } },
          { not: { $ref: "#/$defs/One" } },
          { if: { type: "object", required: ["a"] }, else: { required: ["b"] } },
          { type: "array", contains: { type: "string" }, maxContains: 1 },
        ),
      ),
      schema: fc.oneof(
        { maxDepth: 5, withCrossShrink: true },
        tie("leaf"),
        fc.record({
          type: fc.constant("object"),
          properties: members,
          required: fc.subarray(["a"]),
        }),
        fc.record({
          type: fc.constant("object"),
          properties: members,
          additionalProperties: fc.boolean(),
        }),
        fc.record({ type: fc.constant("object"), additionalProperties: tie("schema") }),
        fc.record({
          type: fc.constant("object"),
          properties: members,
          unevaluatedProperties: fc.constant(false),
        }),
        fc.record({
          type: fc.constant("object"),
          patternProperties: fc.record({ "^a": tie("schema") }),
        }),
        fc.record({ type: fc.constant("array"), items: tie("schema") }),
        fc.record({ prefixItems: some, items: fc.boolean() }),
        fc.record({ oneOf: some }),
        fc.record({ anyOf: some, oneOf: some }),
        fc.record({ allOf: some, properties: members }),
        fc.record({ not: tie("schema") }),
        fc.record({ if: tie("schema"), else: tie("schema") }),
      ),
    };
  });

  // References lead through a member: definitions that refer directly to themselves are excluded.
  const definition = fc.oneof(
    fc.constantFrom<JsonObject>({ type: "string" }, { enum: [1, "x"] }, { type: "array" }),
    fc.record({ type: fc.constant("object"), properties: fc.record({ a: schema, b: schema }) }),
    fc.record({ type: fc.constant("array"), items: schema }),
  );

  test("is valid for the model's schema, whatever is omitted there", () => {
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.record({ it: schema, that: schema }),
        fc.record({ One: definition, Two: definition }),
        fc.integer(),
        fc.constantFrom(100, 300, 6000),
        fc.boolean(),
        (properties, $defs, seed, size, verbatim) => {
          const given = root(properties as JsonObject, { $defs: $defs as JsonObject });
          const isAccepted = ajv.compile(given);
          const abridged = abridgeSchema(given, "x", { ...short, size, verbatim });
          const isValid = ajv.compile(abridged);
          const isFilled = ajv.compile(fillSchema(given, abridged, size, () => "", "left out"));
          const random = createRandom(seed);
          for (let round = 0; round < 6; round++) {
            const made = randomValue(given, given, random);
            const value = round % 2 === 0 ? made : tampered(made, random);
            if (!isAccepted(value)) continue;
            accepted++;
            expect({ value, accepted: isValid(value) }).toEqual({ value, accepted: true });
            expect({ value, filled: isFilled(value) }).toEqual({ value, filled: true });
          }
        },
      ),
      { numRuns: 120 },
    );
    expect(accepted).toBeGreaterThan(300);
  });
});

describe("a body of XML whose schema is an object", () => {
  const paths: JsonObject = {
    "/tags": {
      put: {
        operationId: "putTags",
        requestBody: {
          required: true,
          content: { "text/xml": { schema: { $ref: "#/components/schemas/Tagging" } } },
        },
        responses: {},
      },
    },
  };
  const tag = { type: "object", required: ["Key"], properties: { Key: { type: "string" } } };
  const schemas = {
    Tagging: {
      type: "object",
      required: ["TagSet"],
      properties: { TagSet: { type: "array", items: { $ref: "#/components/schemas/Tag" } } },
    },
    Tag: tag,
  };

  test.each(["short", "full"] as const)(
    "is a text whose fields are in the description: %s",
    async (how) => {
      await using source = await openSource(paths, { descriptions: how }, {
        components: { schemas },
      } as unknown as JsonObject);
      const { inputSchema } = findTool(source, "put_tags").spec;
      expect((inputSchema["properties"] as JsonObject)["body"]).toMatchObject({
        type: "string",
        contentMediaType: "text/xml",
        contentSchema: {
          required: ["TagSet"],
          properties: { TagSet: { items: { properties: { Key: { type: "string" } } } } },
        },
      });
      expect(JSON.stringify(inputSchema)).not.toContain("$ref");
    },
  );
});

describe("a body of a polymorphic type", () => {
  const pet = { $ref: "#/components/schemas/Pet" };
  const child = (properties: JsonObject): JsonObject => ({
    allOf: [pet, { type: "object", properties }],
  });
  const schemas = {
    Pet: {
      type: "object",
      discriminator: { propertyName: "petType" },
      properties: { petType: { type: "string" } },
      required: ["petType"],
    },
    Cat: child({ huntingSkill: { type: "string" } }),
    Dog: child({ packSize: { type: "integer" } }),
  };

  test.each(["short", "full"] as const)(
    "lists each child's properties beside the value that selects it: %s",
    async (descriptions) => {
      const content = { "application/json": { schema: pet } };
      const paths = { "/pets": { post: { operationId: "addPet", requestBody: { content } } } };
      await using source = await openSource(paths, { descriptions }, { components: { schemas } });
      const json = JSON.stringify(findTool(source, "add_pet").spec.inputSchema);
      expect(json).toMatch(/"(const|enum)":\[?"Cat"/);
      expect(json).toMatch(/"(const|enum)":\[?"Dog"/);
      expect(json).toContain('"huntingSkill"');
      expect(json).toContain('"packSize"');
    },
  );
});
