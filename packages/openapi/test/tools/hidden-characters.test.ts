import type { JsonObject, JsonSchema } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import type { OpenApiSource } from "../../src/index.ts";
import { openSource, findTool } from "../support/call-tool.ts";

const ok = { "200": { description: "ok" } };
const json = (schema: JsonObject): JsonObject => ({ content: { "application/json": { schema } } });
const ofBook = json({ $ref: "#/components/schemas/Book" });

const components = {
  schemas: {
    Book: {
      type: "object",
      description: "A bo\u200Bok.",
      properties: { shelf: { $ref: "#/components/schemas/Shelf" } },
    },
    Shelf: {
      title: "Shelf\u{E0072}\u{E0075}\u{E006E}",
      enum: ["a\u200B", "b"],
      default: "a\u200B",
      examples: [{ description: "\u200B" }],
    },
    Plain: { type: "object", properties: { note: { type: "string", description: "A note." } } },
  },
};

function warnings(source: OpenApiSource): string[] {
  return source.problems.flatMap(({ subject, message, severity }) => {
    const [, name] = /^Hidden or invalid characters .* about the tool (\w+):/.exec(message) ?? [];
    return name === undefined ? [] : [`${severity} ${subject} ${name}`];
  });
}

describe("the model's text of a document", () => {
  test("has no invisible characters, and problems name the tool that had some", async () => {
    await using source = await openSource(
      {
        "/a": {
          get: {
            operationId: "getA",
            summary: "\u202EGet\u202C it",
            description: "All\u0000 of \u001B[31mit\u001B[0m, \uD83D.",
            responses: ok,
          },
          put: { operationId: "putA", summary: "\u2060", responses: ok },
          post: { operationId: "po\u200BstA", responses: ok },
        },
        "/b": {
          get: {
            operationId: "getB",
            description:
              "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645 👨\u200D👩\u200D👧 ✔\uFE0F\n\tdone",
            responses: ok,
          },
        },
      },
      { prefix: "x" },
    );
    const [a, put, post, b] = source.tools().map(({ spec }) => spec);
    expect(a).toMatchObject({ title: "Get it", description: "Get it\n\nAll of it, \uFFFD." });
    expect(put).not.toHaveProperty("title");
    expect(put?.description).toBe("PUT /a");
    expect(post?.name).toBe("x__po_st_a");
    expect(b?.description).toBe(
      "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645 👨\u200D👩\u200D👧 ✔\uFE0F\n\tdone",
    );
    expect(warnings(source)).toEqual([
      "warning GET /a x__get_a",
      "warning PUT /a x__put_a",
      "warning POST /a x__po_st_a",
    ]);
    expect(source.problems[0]?.pointer).toBe("/paths/~1a/get");
  });

  test("has room for visible text, however much was hidden", async () => {
    const description = `${"\u{E0041}".repeat(5000)}Get it.`;
    await using source = await openSource({ "/a": { get: { description, responses: ok } } });
    expect(source.tools()[0]?.spec.description).toBe("Get it.");
  });

  test("is clean in the descriptions of parameters and of a body", async () => {
    await using source = await openSource({
      "/a": {
        post: {
          operationId: "a",
          parameters: [
            { name: "q", in: "query", description: "What\u200B.", schema: { title: "Q\u2060" } },
            { name: "f[\u200B]", in: "query", schema: { type: "string" } },
          ],
          requestBody: { description: "A li\u00ADst.", ...json({ type: "array" }) },
          responses: ok,
        },
      },
    });
    expect(findTool(source, "a").argumentsSchema?.["properties"]).toMatchObject({
      q: { title: "Q" },
    });
    expect(findTool(source, "a").spec.inputSchema["properties"]).toEqual({
      q: { description: "What." },
      f: { type: "string", description: "Sent as f[]." },
      body: { type: "array", description: "A list." },
    });
    expect(warnings(source)).toEqual(["warning POST /a a"]);
  });

  test("is clean in schemas that several tools share, and problems name each of them", async () => {
    await using source = await openSource(
      {
        "/a": { post: { operationId: "a", requestBody: ofBook, responses: ok } },
        "/b": {
          put: { operationId: "b", requestBody: ofBook, responses: ok },
          get: { operationId: "c", responses: { 200: { description: "ok", ...ofBook } } },
          patch: {
            operationId: "d",
            requestBody: json({ $ref: "#/components/schemas/Plain" }),
            responses: ok,
          },
        },
      },
      {},
      { components },
    );
    const shelf = {
      title: "Shelf",
      enum: ["a\u200B", "b"],
      default: "a\u200B",
      examples: [{ description: "\u200B" }],
    };
    const defs = (schema: JsonSchema | undefined): unknown => schema?.["$defs"];
    expect(warnings(source)).toEqual([]);
    expect(defs(findTool(source, "a").argumentsSchema)).toEqual({ Shelf: shelf });
    expect(defs(findTool(source, "b").argumentsSchema)).toEqual({ Shelf: shelf });
    expect(defs(findTool(source, "c").spec.outputSchema)).toMatchObject({
      Book: { description: "A book." },
      Shelf: shelf,
    });
    expect(warnings(source)).toEqual(["warning POST /a a", "warning PUT /b b", "warning GET /b c"]);
    source.realize();
    expect(warnings(source)).toHaveLength(3);
  });

  test("keeps the names of properties, which the API needs", async () => {
    const schema = {
      type: "object",
      properties: { in: { type: "object", properties: { "a\u200B": { const: "\u200B" } } } },
    };
    await using source = await openSource({
      "/a": { post: { operationId: "a", requestBody: json(schema), responses: ok } },
    });
    expect(findTool(source, "a").spec.inputSchema["properties"]).toEqual(schema.properties);
  });
});
