import type { JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { openSource, findTool } from "../support/call-tool.ts";

const ok = { "200": { description: "ok" } };

describe("a tool", () => {
  test("describes its operation", async () => {
    const long = Array.from(
      { length: 5 },
      (_, index) => `${index} ${"word ".repeat(60).trim()}`,
    ).join("\n\n");
    await using source = await openSource({
      "/a": {
        get: { operationId: "a", summary: "Short.", description: long, responses: ok },
        post: { operationId: "b", description: "x".repeat(5000), responses: ok },
        put: {
          operationId: "c",
          summary: "Same.",
          description: "Same. And more.",
          deprecated: true,
          responses: ok,
        },
        delete: { responses: ok },
      },
    });
    const [a, b, c, d] = source.tools().map(({ spec }) => spec);
    expect(a).toMatchObject({
      title: "Short.",
      description: `Short.\n\n${long.split("\n\n").slice(0, 3).join("\n\n")} […]`,
    });
    expect(b?.description).toBe(`${"x".repeat(1000)} […]`);
    expect(c?.description).toBe("Deprecated. Same. And more.");
    expect(d).toMatchObject({ name: "delete_a", description: "DELETE /a" });
  });

  test("is described in complete characters", async () => {
    const description = `x${"\u{1F642}".repeat(600)}`;
    await using source = await openSource({ "/a": { get: { description, responses: ok } } });
    const [tool] = source.tools();
    expect(tool?.spec.description).toBe(`x${"\u{1F642}".repeat(499)} […]`);
  });

  test("has the annotations of its method", async () => {
    await using source = await openSource({
      "/a": Object.fromEntries(
        ["get", "head", "options", "trace", "put", "post", "patch", "delete"].map((method) => [
          method,
          { responses: ok },
        ]),
      ),
    });
    const hints = Object.fromEntries(
      source
        .tools()
        .map(({ spec: { annotations, provenance } }) => [
          provenance.origin?.["method"],
          [annotations.readOnlyHint, annotations.destructiveHint, annotations.idempotentHint]
            .map(Number)
            .join(""),
        ]),
    );
    expect(hints).toEqual({
      GET: "101",
      HEAD: "101",
      OPTIONS: "101",
      TRACE: "101",
      PUT: "011",
      POST: "000",
      PATCH: "010",
      DELETE: "011",
    });
    expect(source.trustAnnotations).toBe(true);
  });

  test("has its origin, and is plain data", async () => {
    await using source = await openSource(
      { "/a": { get: { operationId: "getA", responses: ok } } },
      { id: "api", timeoutMs: 500 },
    );
    const { spec } = findTool(source, "get_a");
    expect(JSON.parse(JSON.stringify(spec))).toEqual({
      name: "get_a",
      description: "GET /a",
      timeoutMs: 500,
      inputSchema: { type: "object", properties: {}, additionalProperties: false },
      annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: true,
        access: { network: true, filesystem: "none", process: false },
      },
      provenance: {
        adapter: "openapi",
        source: "api",
        origin: { operationId: "getA", method: "GET", path: "/a" },
      },
      metadata: { servers: expect.any(Array) as [], request: expect.any(String) as string },
    });
  });

  test("has the JSON of its successes as its output schema", async () => {
    const of = (schema: JsonObject): JsonObject => ({
      description: "ok",
      content: { "text/plain": {}, "application/json": { schema } },
    });
    await using source = await openSource({
      "/a": {
        get: {
          operationId: "a",
          responses: {
            default: of({ type: "null" }),
            "201": of({ type: "array" }),
            "200": of({ type: "object" }),
          },
        },
        put: { operationId: "b", responses: { default: of({ type: "null" }) } },
        post: {
          operationId: "c",
          responses: { "204": { description: "" }, default: of({ type: "null" }) },
        },
      },
    });
    expect(source.tools().map(({ spec }) => spec.outputSchema)).toEqual([
      { anyOf: [{ type: "object" }, { type: "array" }] },
      { type: "null" },
      undefined,
    ]);
  });
});
