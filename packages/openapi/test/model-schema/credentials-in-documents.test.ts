import { defineTool, ToolExecutor, ToolRegistry, type JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { openApiSource } from "../../src/index.ts";

const secret = "hunter2-correct-horse";

/** A document that has a credential in every place where authors leave one. */
const document: JsonObject = {
  openapi: "3.1.0",
  info: { title: "Shop", version: "1" },
  servers: [{ url: `https://ada:${secret}@shop.example/v1?api_key=${secret}` }],
  paths: {
    "/orders": {
      get: {
        operationId: "list_orders",
        parameters: [
          { name: "X-Api-Key", in: "header", schema: { type: "string", default: secret } },
          {
            name: "Authorization",
            in: "header",
            schema: { type: "string", default: `Bearer ${secret}` },
          },
          { name: "k", in: "query", schema: { type: "string", default: secret } },
          { name: "session", in: "cookie", schema: { type: "string", example: secret } },
          { name: "page", in: "query", schema: { type: "integer" } },
        ],
        security: [{ header: [] }, { query: [] }, { cookie: [] }],
        responses: { 200: { description: "They." } },
      },
    },
  },
  components: {
    securitySchemes: {
      header: { type: "apiKey", in: "header", name: "X-Api-Key" },
      query: { type: "apiKey", in: "query", name: "k" },
      cookie: { type: "apiKey", in: "cookie", name: "session" },
    },
  },
};

describe("SE01: a credential", () => {
  test("of a document, its server or the host is in no tool for a model", async () => {
    const source = openApiSource(document, { auth: { apiKey: secret } });
    const registry = new ToolRegistry([source]);
    await registry.ready;
    const executor = new ToolExecutor({ registry });
    const specs = executor.toolset.specs();
    expect(specs.map(({ name, inputSchema }) => [name, inputSchema["properties"]])).toEqual([
      ["list_orders", { page: { type: "integer" } }],
    ]);
    expect(JSON.stringify([specs, registry.problems, source.id])).not.toContain(secret);
    const explained = await executor.explain({ name: "list_orders", arguments: {} });
    expect(JSON.stringify(explained)).not.toContain(secret);
    await registry.close();
  });

  test("that the host injects is in no schema, and cannot be added to one", () => {
    const injected = [{ name: "apiKey", secret: true }];
    const definition = {
      name: "list_orders",
      description: "List the orders.",
      input: { type: "object", properties: { page: { type: "integer" } } },
      injected,
      execute: () => [],
    } as const;
    const { spec } = defineTool(definition);
    expect(JSON.stringify(spec.inputSchema)).not.toContain("apiKey");
    const input = { type: "object", properties: { apiKey: { type: "string" } } } as const;
    expect(() => defineTool({ ...definition, input })).toThrow(/"apiKey" is injected by the host/);
  });
});
