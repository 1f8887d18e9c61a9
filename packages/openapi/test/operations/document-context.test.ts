import { join } from "node:path";
import { expect, test } from "vitest";
import { openApiSource } from "../../src/index.ts";
import { folder } from "../support/open-documents.ts";

const ok = { 200: { description: "ok" } };

test("a reference in place of paths, components, schemes or responses is followed, with a warning", async () => {
  const place = folder({
    "api.json": {
      openapi: "3.0.3",
      info: { title: "Test", version: "1" },
      servers: [{ url: "https://api.example" }],
      security: [{ key: [] }],
      paths: { $ref: "paths.json" },
      components: { $ref: "components.json" },
    },
    "paths.json": { "/a": { get: { operationId: "a", responses: { $ref: "responses.json" } } } },
    "responses.json": ok,
    "components.json": { securitySchemes: { $ref: "schemes.json" } },
    "schemes.json": { key: { type: "apiKey", in: "header", name: "X-Key" } },
  });
  await using source = openApiSource(join(place, "api.json"), { auth: { apiKey: "k" } });
  await source.ready;
  source.realize();
  expect(source.tools().map(({ spec }) => spec.name)).toEqual(["a"]);
  expect(source.problems.map(({ severity, message }) => [severity, message])).toEqual(
    ["paths", "components", "securitySchemes", "paths/~1a/get/responses"].map(() => [
      "warning",
      expect.stringMatching(/^A \$ref replaces .*; it was resolved\.$/) as string,
    ]),
  );
});

test("one to nothing is a problem, and affects its content", async () => {
  await using source = openApiSource({
    openapi: "3.0.3",
    info: { title: "Test", version: "1" },
    servers: [{ url: "https://api.example" }],
    paths: { "/a": { get: { operationId: "a", responses: { $ref: "#/gone" } } } },
    components: { securitySchemes: { $ref: "#/gone" } },
  });
  await source.ready;
  source.realize();
  expect(source.tools()).toHaveLength(1);
  expect(source.problems.map(({ pointer }) => pointer)).toEqual([
    "/components/securitySchemes",
    "/paths/~1a/get/responses",
  ]);
});
