import { readFileSync } from "node:fs";
import type { JsonSchema } from "@toolweave/core";
import { argumentsSchemaOf } from "@toolweave/core/adapter";
import { openApiSource } from "@toolweave/openapi";
import { expect, test } from "vitest";
import { roundTripFaults, validArguments } from "./support/round-trip.ts";

const styles = new URL(
  "../../../../packages/openapi/test/fixtures/styles/styles.yaml",
  import.meta.url,
);

test("the arguments of every tool of a document are the same JSON in the form", async () => {
  await using source = openApiSource.fromString(readFileSync(styles, "utf8"), {
    baseUrl: "https://api.example",
  });
  await source.ready;
  const tools = source.tools();
  expect(tools.length).toBeGreaterThan(90);
  const faults: string[] = [];
  for (const tool of tools) {
    const schema = argumentsSchemaOf(tool);
    const values = await validArguments(schema, 1, 1);
    expect(values).not.toEqual([]);
    for (const value of values) faults.push(...roundTripFaults(schema, value));
  }
  expect(faults).toEqual([]);
});

test("the arguments of a schema with every kind of field are the same JSON in the form", async () => {
  const schema = JSON.parse(
    readFileSync(new URL("fixtures/all-kinds.schema.json", import.meta.url), "utf8"),
  ) as JsonSchema;
  const values = await validArguments(schema, 1, 20);
  expect(values.length).toBeGreaterThan(40);
  expect(values.flatMap((value) => roundTripFaults(schema, value))).toEqual([]);
});
