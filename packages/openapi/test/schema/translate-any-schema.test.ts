import type { JsonObject, JsonValue } from "@toolweave/core";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inFullRun } from "@toolweave/test-support";
import { request } from "./support/translate.ts";

describe("any schema", () => {
  const oddities: fc.Arbitrary<JsonValue> = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom("string", "object", "file", "(", "null"),
    fc.array(fc.oneof(fc.string(), fc.integer(), fc.constantFrom("string", null)), {
      maxLength: 3,
    }),
    fc.dictionary(fc.string(), fc.array(fc.string(), { maxLength: 2 }), { maxKeys: 2 }),
  );
  const values = [
    ...["type", "required", "enum", "const", "default", "nullable", "minimum", "maximum"],
    ...[
      "exclusiveMinimum",
      "minLength",
      "multipleOf",
      "pattern",
      "example",
      "examples",
      "readOnly",
    ],
    ...["format", "description", "id", "dependentRequired", "uniqueItems", "title", "$schema"],
    ...["$comment", "deprecated", "x-a", "$anchor", "contentMediaType", "maxContains"],
  ];
  const { schema: schemas } = fc.letrec<{ schema: JsonObject }>((tie) => {
    const schema = tie("schema");
    const members = fc.dictionary(fc.string(), schema, { maxKeys: 3 });
    const branches = fc.array(schema, { maxLength: 3 });
    const plain = fc.dictionary(fc.constantFrom(...values), oddities, { maxKeys: 4 });
    const composed = fc
      .tuple(
        plain,
        fc.record(
          {
            properties: members,
            patternProperties: members,
            dependentSchemas: members,
            allOf: branches,
            anyOf: branches,
            oneOf: branches,
            prefixItems: branches,
            items: fc.oneof(schema, branches),
            not: schema,
            additionalProperties: fc.oneof(schema, fc.boolean()),
            propertyNames: schema,
          },
          { requiredKeys: [] },
        ),
      )
      .map(([some, more]) => ({ ...some, ...more }) as JsonObject);
    return { schema: fc.oneof({ maxDepth: 2 }, plain, composed) };
  });

  test("compiles as JSON Schema 2020-12 whatever its other keywords contain", async () => {
    const options = { strict: false, validateFormats: false, unicodeRegExp: false } as const;
    await fc.assert(
      fc.asyncProperty(schemas, async (schema) => {
        const result = await request("3.0.0", schema);
        expect(new Ajv2020(options).compile(result as object)).toBeTypeOf("function");
      }),
      { numRuns: inFullRun(150, 25) },
    );
  });
});
