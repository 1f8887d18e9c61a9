import type { JsonObject, JsonSchema } from "@toolweave/core";
import fc from "fast-check";
import { inFullRun } from "@toolweave/test-support";
import { beforeAll, describe, expect, it } from "vitest";
import { portableRules, providerRules } from "../src/rules/all-rules.ts";
import { projection, type Projection } from "../src/schema/projection.ts";
import { restoredArguments } from "../src/schema/restored-arguments.ts";
import { Unprojectable } from "../src/schema/projection-errors.ts";
import { schemaViolations } from "../src/schema/schema-violations.ts";
import { acceptor } from "./support/acceptor.ts";
import { example } from "./support/schema-and-value.ts";
import { sentArguments } from "./support/sent-arguments.ts";

/** Of a union, the variant of the value: another might have no name for its keys. */
function firstVariant(schema: JsonSchema): JsonSchema {
  const { anyOf, oneOf, $defs } = schema as Record<string, JsonSchema[] & JsonSchema>;
  const first = (anyOf ?? oneOf)?.[0];
  return first === undefined ? schema : { ...first, $defs: $defs as JsonSchema };
}

const runs = { numRuns: inFullRun(200, 50) };

const everyRules = [...Object.entries(providerRules), ["every provider", portableRules] as const];

describe.each(everyRules)("a schema for %s", (_, rules) => {
  let accepts: Awaited<ReturnType<typeof acceptor>>;

  beforeAll(async () => {
    accepts = await acceptor();
  });

  /** Undefined if the provider's rules do not allow any: the tool is then sent by looser ones. */
  function projected(schema: JsonSchema): Projection | undefined {
    try {
      return projection(schema, rules);
    } catch (error) {
      if (error instanceof Unprojectable) return undefined;
      throw error;
    }
  }

  it("accepts all arguments that the tool's own accepts, and restores them", () => {
    let tried = 0;
    fc.assert(
      fc.property(example, ({ schema, value }) => {
        fc.pre(accepts(value, schema) && accepts(value, firstVariant(schema)));
        const found = projected(schema);
        if (found === undefined) return;
        tried++;
        const sent = sentArguments(value as JsonObject, found, accepts);
        const isAccepted = accepts(sent, found.schema);
        expect({ isAccepted, sent, by: found.schema }).toMatchObject({ isAccepted: true });
        expect(restoredArguments(sent as JsonObject, found)).toEqual(value);
      }),
      runs,
    );
    expect(tried).toBeGreaterThan(0);
  });

  it("breaks none of the rules, and does not change if it is projected again", () => {
    fc.assert(
      fc.property(example, ({ schema }) => {
        const found = projected(schema);
        if (found === undefined) return;
        expect([...schemaViolations(found.schema, rules)]).toEqual([]);
        expect(projected(found.schema)?.schema).toEqual(found.schema);
      }),
      runs,
    );
  });
});
