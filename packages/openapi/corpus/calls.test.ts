import { readFileSync } from "node:fs";
import type { JsonObject, JsonValue } from "@toolweave/core";
import { argumentsSchemaOf } from "@toolweave/core/adapter";
import { load } from "js-yaml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inFullRun } from "@toolweave/test-support";
import { openApiSource } from "../src/index.ts";
import { RecordingServer } from "@toolweave/test-support/recording-server";
import { call } from "../test/support/call-tool.ts";
import { specs } from "./documents.ts";
import { leadsTo } from "./oracles/path-routes.ts";
import { defaultSeed, sampleCall } from "./oracles/sample-calls.ts";

let server: RecordingServer;

beforeAll(async () => {
  server = await RecordingServer.start();
});
afterAll(() => server.close());

interface Declared {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}

/** The parameters of an operation in the document, read without our reader. */
function declaredParameters(document: JsonObject, path: string, method: string): Declared[] {
  const item = (document["paths"] as JsonObject)[path] as JsonObject;
  const operation = item[method.toLowerCase()] as JsonObject;
  const all = [
    ...((item["parameters"] ?? []) as JsonValue[]),
    ...((operation["parameters"] ?? []) as JsonValue[]),
  ];
  return all.map((parameter) => {
    const reference = (parameter as JsonObject)["$ref"];
    if (typeof reference !== "string") return parameter as unknown as Declared;
    return reference
      .slice(2)
      .split("/")
      .reduce<JsonValue | undefined>(
        (at, token) => (at as JsonObject)[token],
        document,
      ) as unknown as Declared;
  });
}

const documents: readonly (readonly [file: string, operations: number])[] = [
  ["redocly-museum-3.1.yaml", 8],
  ["oai-petstore-3.0.yaml", 3],
  ["swagger-petstore-3.0.yaml", 19],
  ["github-api-3.0.json", 1223],
  ["stripe-2023-09.yaml", 468],
];

describe.each(inFullRun(documents, documents.slice(0, 3)))("%s", (file, count) => {
  test(`sends each of its ${count} operations to the place in the document`, async () => {
    const text = readFileSync(specs + file, "utf8");
    const document = (file.endsWith(".json") ? JSON.parse(text) : load(text)) as JsonObject;
    await using source = openApiSource.fromString(text, { baseUrl: `${server.origin}/base` });
    await source.ready;
    source.realize();
    expect(source.problems.filter(({ severity = "error" }) => severity === "error")).toEqual([]);
    expect(source.tools()).toHaveLength(count);

    for (const tool of source.tools()) {
      const { method, path } = tool.spec.provenance.origin as { method: string; path: string };
      const sample = await sampleCall(argumentsSchemaOf(tool), "required", defaultSeed());
      await call(tool, sample?.args);
      const recorded = server.requests.pop();
      expect(recorded?.method).toBe(method);
      expect(recorded?.path).toSatisfy((sent: string) => leadsTo(sent, `/base${path}`));
      const sent = [...new URLSearchParams(recorded?.query).keys()];
      for (const declared of declaredParameters(document, path, method)) {
        if (declared.in !== "query" || declared.required !== true) continue;
        expect(
          sent.some((name) => name === declared.name || name.startsWith(`${declared.name}[`)),
        ).toBe(true);
      }
    }
  });
});
