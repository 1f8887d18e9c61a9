// Real documents: the model's schema of arguments is weaker than the validated one, and never
// stricter.
import type { JsonSchema } from "@toolweave/core";
import { argumentsSchemaOf } from "@toolweave/core/adapter";
import { describe, expect, test } from "vitest";
import { inFullRun } from "@toolweave/test-support";
import { getSchemaBudget } from "../src/model-schema/schema-budget.ts";
import { abridgeSchema } from "../src/model-schema/model-schema.ts";
import { openApiSource } from "../src/index.ts";
import { compileAlone, type Accepts } from "../test/support/compile-alone.ts";
import { createRandom, randomValue, tampered } from "../test/support/random-value.ts";
import { documentNames, specs } from "./documents.ts";

const maxTools = inFullRun(120, 40);
const valuesEach = 12;

const ajvOptions = { strict: false, validateFormats: false, logger: false } as const;
// Some patterns are only valid without the `u` flag.
const lenientOptions = { ...ajvOptions, unicodeRegExp: false } as const;

function compileAccepts(schema: JsonSchema): Accepts {
  try {
    return compileAlone(schema, ajvOptions);
  } catch {
    return compileAlone(schema, lenientOptions);
  }
}

describe.each(documentNames())("%s", (file) => {
  test("the model's schema is never stricter than the validated one", async () => {
    await using source = openApiSource.fromFile(`${specs}${file}`);
    await source.ready;
    const tools = source.tools();
    const step = Math.max(1, Math.floor(tools.length / maxTools));
    let accepted = 0;
    let tried = 0;
    for (let index = 0; index < tools.length; index += step) {
      const tool = tools[index] as (typeof tools)[number];
      const full = argumentsSchemaOf(tool);
      if (full["properties"] === undefined) continue;
      const isAccepted = compileAccepts(full);
      const validators = (["short", "full"] as const).map((descriptions) =>
        compileAccepts(abridgeSchema(full, tool.spec.name, getSchemaBudget(descriptions, 1))),
      );
      const random = createRandom(index + 1);
      for (let round = 0; round < valuesEach; round++) {
        let value = randomValue(full, full, random);
        if (round % 3 === 2) value = tampered(value, random);
        tried++;
        if (!isAccepted(value)) continue;
        accepted++;
        for (const accepts of validators) {
          expect({ tool: tool.spec.name, value, accepted: accepts(value) }).toEqual({
            tool: tool.spec.name,
            value,
            accepted: true,
          });
        }
      }
    }
    // If all values are refused, the test proves nothing.
    expect(accepted).toBeGreaterThanOrEqual(tried / 4);
  });
});
