// Tools of real documents and servers: their arguments are the same JSON in the form, and each part of them has a field.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Tool } from "@toolweave/core";
import { argumentsSchemaOf } from "@toolweave/core/adapter";
import { openApiSource } from "@toolweave/openapi";
import { describe, expect, test } from "vitest";
import { realServers, realSource } from "../../../packages/mcp/test/support/real-servers.ts";
import { roundTripFaults, validArguments } from "../test/form/support/round-trip.ts";

// A full run requires this folder: `scripts/require-shared.ts`.
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
];

/** Values of each style for each tool. */
const count = 2;

/** Checks all tools of a source; returns what does not hold, and the tools without a valid value. */
async function check(tools: readonly Tool[]): Promise<{ faults: string[]; unchecked: string[] }> {
  const faults: string[] = [];
  const unchecked: string[] = [];
  for (const tool of tools) {
    const schema = argumentsSchemaOf(tool);
    const values = await validArguments(schema, 1, count);
    if (values.length === 0) unchecked.push(tool.spec.name);
    for (const value of values) {
      for (const fault of roundTripFaults(schema, value)) {
        faults.push(`${tool.spec.name}: ${fault}`);
      }
    }
  }
  return { faults, unchecked };
}

describe("the arguments of every tool are the same JSON in the form:", () => {
  test("there are 40 documents", () => {
    expect(documents).toHaveLength(40);
  });

  test.each(documents)("%s", async (name) => {
    await using source = openApiSource(specs + name, { baseUrl: "https://api.example" });
    await source.ready;
    source.realize();
    expect(await check(source.tools())).toEqual({ faults: [], unchecked: [] });
  });

  test.each(Object.keys(realServers))("the server %s", async (name) => {
    await using source = realSource(name);
    await source.ready;
    const tools = source.tools();
    expect(tools).not.toEqual([]);
    expect(await check(tools)).toEqual({ faults: [], unchecked: [] });
  });
});
