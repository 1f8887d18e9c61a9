// Real documents, as published: the arguments of each tool are the same JSON in the form.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { argumentsSchemaOf } from "@toolweave/core/adapter";
import { openApiSource } from "@toolweave/openapi";
import { expect, test } from "vitest";
import { roundTripFaults, validArguments } from "../test/form/support/round-trip.ts";

const specs = fileURLToPath(new URL("../../../../shared/specs/", import.meta.url));
const trees = [
  "digitalocean-multi/DigitalOcean-public.v2.yaml",
  "hey-api-full-2.0/full.yaml",
  "hey-api-full-3.1/full.yaml",
  "oai-petstore-separate-2.0/spec/swagger.json",
];
const documents = [
  ...readdirSync(specs).filter((name) => /\.(?:json|ya?ml)$/.test(name)),
  ...trees,
].filter((name) => name.includes(process.env["ONLY"] ?? ""));

test.each(documents)(
  "the arguments of every tool of %s are the same JSON in the form",
  async (name) => {
    await using source = openApiSource(specs + name, { baseUrl: "https://api.example" });
    await source.ready;
    source.realize();
    const faults: string[] = [];
    let values = 0;
    for (const tool of source.tools()) {
      const schema = argumentsSchemaOf(tool);
      for (const value of await validArguments(schema, 1, 2)) {
        values++;
        for (const fault of roundTripFaults(schema, value))
          faults.push(`${tool.spec.name}: ${fault}`);
      }
    }
    console.log(name, source.tools().length, values, faults.length);
    expect(faults.slice(0, 10)).toEqual([]);
    expect(values).toBeGreaterThanOrEqual(source.tools().length);
  },
);
