import type { JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { openDocument, type ApiDocument } from "../../../src/operations/document.ts";
import {
  byPlace,
  checkOperations,
  document,
  getFailure,
  onlyDetails,
  standalone,
} from "../../support/open-documents.ts";

function asking(schema: JsonObject): JsonObject {
  return { parameters: [{ name: "q", in: "query", schema }] };
}

async function translated(version: string, schema: JsonObject, more: JsonObject): Promise<unknown> {
  const { parameters } = await onlyDetails(version, asking(schema), more);
  const [parameter] = parameters;
  return parameter === undefined ? undefined : standalone(parameter.schema);
}

function getProblem(opened: ApiDocument): string | undefined {
  opened.operations[0]?.details();
  return opened.problems[0]?.message;
}

describe("JSON pointers", () => {
  test("percent and tilde escapes are decoded", async () => {
    const schemas = { "a/b~c d{e}": { type: "string" } };
    for (const token of ["a~1b~0c%20d%7Be%7D", "a~1b~0c d{e}"]) {
      const result = await translated(
        "3.0.0",
        { $ref: `#/components/schemas/${token}` },
        { components: { schemas } },
      );
      const [[name, definition]] = Object.entries(
        (result as JsonObject)["$defs"] as JsonObject,
      ) as [[string, unknown]];
      expect(name).toMatch(/^a_b_c_d_e__[0-9a-z]{7}$/);
      expect(definition).toEqual({ type: "string" });
    }
  });

  test("a pointer may lead through arrays, and into operations", async () => {
    const result = await translated(
      "3.0.0",
      { $ref: "#/paths/~1x/get/parameters/0/schema/properties/a" },
      {
        paths: {
          "/x": { get: asking({ properties: { a: { type: "integer" } } }) },
        },
      },
    );
    expect(result).toMatchObject({ properties: { a: { type: "integer" } } });
  });

  test("a pointer may lead through another reference", async () => {
    const schemas = {
      Outer: { $ref: "#/components/schemas/Inner" },
      Inner: { properties: { deep: { type: "boolean" } } },
    };
    const result = await translated(
      "3.0.0",
      { $ref: "#/components/schemas/Outer/properties/deep" },
      { components: { schemas } },
    );
    expect(Object.values((result as JsonObject)["$defs"] as JsonObject)).toEqual([
      { type: "boolean" },
    ]);
  });

  test("pointers that lead through references without end are refused", async () => {
    const steps = "/x".repeat(12);
    const schemas = Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => [
        `L${level}`,
        { $ref: `#/components/schemas/L${(level + 1) % 40}${steps}` },
      ]),
    );
    const opened = await openDocument(
      document(
        "3.1.0",
        { "/x": { get: asking({ $ref: "#/components/schemas/L0/x" }) } },
        { components: { schemas } },
      ),
    );
    expect(getProblem(opened)).toMatch(/points to nothing/);
  });

  test("names of Object.prototype are not found in a document", async () => {
    const opened = await openDocument(
      document("3.0.0", { "/x": { get: asking({ $ref: "#/components/constructor" }) } }),
    );
    expect(getProblem(opened)).toContain("points to nothing");
  });
});

describe("broken references", () => {
  test("of a body affect their operation, deeper ones only their place; the problem has the place and the reason", async () => {
    const opened = await openDocument(
      document(
        "3.0.0",
        {
          "/good": { get: { responses: {} } },
          "/bad": { post: { requestBody: { $ref: "#/components/requestBodies/None" } } },
          "/deep": { get: asking({ $ref: "#/components/schemas/A" }) },
          "/nothing": { get: { parameters: [7] } },
        },
        {
          components: { schemas: { A: { properties: { b: { $ref: "#/components/schemas/B" } } } } },
        },
      ),
    );
    expect(opened.problems).toEqual([]);
    const usable = checkOperations(opened).map(({ path }) => path);
    expect(usable).toEqual(["/good", "/deep"]);
    expect(opened.problems).toEqual([
      {
        subject: "POST /bad",
        message: '$ref "#/components/requestBodies/None" points to nothing.',
        pointer: "/paths/~1bad/post/requestBody",
      },
      {
        subject: "the document",
        message: '$ref "#/components/schemas/B" points to nothing: any value is accepted there.',
        pointer: "/components/schemas/A/properties/b",
        severity: "warning",
      },
      {
        subject: "GET /nothing",
        message: "The parameter has no `name`.",
        pointer: "/paths/~1nothing/get/parameters/0",
      },
    ]);
  });

  test("details throw the same error each time and report it once", async () => {
    const opened = await openDocument(
      document("3.0.0", { "/x": { get: { requestBody: { $ref: "#/nope" } } } }),
    );
    const [operation] = opened.operations;
    expect(getFailure(operation)).toBe(getFailure(operation));
    expect(opened.problems).toHaveLength(1);
  });

  test("in a response keep the operation, with any value there", async () => {
    const opened = await openDocument(
      document("3.0.0", {
        "/x": {
          get: {
            responses: {
              200: { content: { "application/json": { schema: { $ref: "#/gone" } } } },
              404: { $ref: "#/gone" },
              500: { content: { "text/plain": { schema: { type: "string" } } } },
            },
          },
        },
      }),
    );
    expect(checkOperations(opened)).toHaveLength(1);
    const { responses } = (opened.operations[0] as (typeof opened.operations)[0]).details();
    expect(
      responses.map(({ status, media }) => [status, media.map(({ schema }) => schema.schema)]),
    ).toEqual([
      ["200", [{}]],
      ["404", []],
      ["500", [{ type: "string" }]],
    ]);
    expect(opened.problems.map(({ severity, pointer }) => [severity, pointer])).toEqual([
      ["warning", "/paths/~1x/get/responses/200/content/application~1json/schema"],
      ["warning", "/paths/~1x/get/responses/404"],
    ]);
  });

  test("in examples, defaults, enums, constants and extensions are never followed", async () => {
    const trap = { $ref: "file:///etc/passwd" };
    const schema = {
      type: "object",
      default: trap,
      enum: [trap],
      const: trap,
      example: trap,
      "x-internal": { schema: trap },
      properties: { example: { type: "string", examples: [trap] } },
    };
    const result = await translated("3.1.0", schema, { "x-top": trap });
    expect(result).toEqual({
      type: "object",
      default: trap,
      enum: [trap],
      const: trap,
      examples: [trap],
      properties: { example: { type: "string", examples: [trap] } },
    });
  });
});

describe("circular references", () => {
  test("of path items, parameters, bodies and schemas are reported, and nothing hangs", async () => {
    const opened = await openDocument(
      document(
        "3.0.0",
        {
          "/a": { $ref: "#/paths/~1b" },
          "/b": { $ref: "#/paths/~1a" },
          "/c": { get: { parameters: [{ $ref: "#/components/parameters/P" }] } },
          "/d": { put: { requestBody: { $ref: "#/components/requestBodies/R" } } },
          "/e": { get: asking({ $ref: "#/components/schemas/S" }) },
          "/f": { get: { $ref: "#/paths/~1f/get" } },
        },
        {
          components: {
            parameters: {
              P: { $ref: "#/components/parameters/Q" },
              Q: { $ref: "#/components/parameters/P" },
            },
            requestBodies: { R: { $ref: "#/components/requestBodies/R" } },
            schemas: {
              S: { $ref: "#/components/schemas/T" },
              T: { $ref: "#/components/schemas/S" },
            },
          },
        },
      ),
    );
    expect(checkOperations(opened)).toEqual([]);
    expect(opened.problems.map(({ subject }) => subject)).toEqual([
      "/a",
      "/b",
      "GET /f",
      "GET /c",
      "PUT /d",
      "GET /e",
    ]);
    for (const { message } of opened.problems) expect(message).toMatch(/form a cycle/);
  });

  test("of a schema that contains itself stay references", async () => {
    const schemas = {
      Tree: { properties: { children: { items: { $ref: "#/components/schemas/Tree" } } } },
    };
    expect(
      await translated("3.0.0", { $ref: "#/components/schemas/Tree" }, { components: { schemas } }),
    ).toEqual({
      $ref: "#/$defs/Tree",
      $defs: { Tree: { properties: { children: { items: { $ref: "#/$defs/Tree" } } } } },
    });
  });
});

describe("identifiers of OpenAPI 3.1", () => {
  const schemas = {
    Tree: {
      $id: "https://example.com/schemas/tree",
      $defs: { node: { $anchor: "leaf", type: "string" } },
      properties: { byPointer: { $ref: "#/$defs/node" }, byAnchor: { $ref: "#leaf" } },
    },
    Other: { $anchor: "other", type: "integer" },
  };

  test("$id makes a schema the root of its pointers and anchors", async () => {
    const result = await translated(
      "3.1.0",
      { $ref: "https://example.com/schemas/tree" },
      { components: { schemas } },
    );
    const { $defs } = result as { $defs: JsonObject };
    const [node] = Object.keys($defs).filter((name) => name !== "Tree");
    expect($defs).toEqual({
      Tree: {
        properties: {
          byPointer: { $ref: `#/$defs/${node}` },
          byAnchor: { $ref: `#/$defs/${node}` },
        },
      },
      [String(node)]: { type: "string" },
    });
  });

  test("an anchor of the document is found, one of another schema is not", async () => {
    const found = await translated("3.1.0", { $ref: "#other" }, { components: { schemas } });
    expect(found).toEqual({ $ref: "#/$defs/Other", $defs: { Other: { type: "integer" } } });
    const opened = await openDocument(
      document("3.1.0", { "/x": { get: asking({ $ref: "#leaf" }) } }, { components: { schemas } }),
    );
    expect(getProblem(opened)).toBe('$ref "#leaf" points to nothing: any value is accepted there.');
  });

  test("$dynamicRef resolves to the anchor of its own schema resource", async () => {
    const result = await translated(
      "3.1.0",
      { $ref: "#/components/schemas/Node" },
      {
        components: {
          schemas: { Node: { $dynamicAnchor: "node", items: { $dynamicRef: "#node" } } },
        },
      },
    );
    expect(result).toEqual({
      $ref: "#/$defs/Node",
      $defs: { Node: { items: { $ref: "#/$defs/Node" } } },
    });
  });

  test("a relative $ref resolves against $id", async () => {
    const result = await translated(
      "3.1.0",
      { $ref: "https://example.com/a/one" },
      {
        components: {
          schemas: {
            One: { $id: "https://example.com/a/one", items: { $ref: "two" } },
            Two: { $id: "https://example.com/a/two", type: "null" },
          },
        },
      },
    );
    expect(result).toEqual({
      $ref: "#/$defs/One",
      $defs: { One: { items: { $ref: "#/$defs/Two" } }, Two: { type: "null" } },
    });
  });

  test("a pointer into the document works inside a schema with an $id", async () => {
    const result = await translated(
      "3.1.0",
      { $ref: "#/components/schemas/A" },
      {
        components: {
          schemas: {
            A: { $id: "https://example.com/a", items: { $ref: "#/components/schemas/B" } },
            B: { type: "string" },
          },
        },
      },
    );
    expect(result).toMatchObject({ $defs: { B: { type: "string" } } });
  });

  test("before 3.1, $id and $anchor have no meaning", async () => {
    const result = await translated(
      "3.0.0",
      { $ref: "#/components/schemas/A" },
      {
        components: {
          schemas: {
            A: { $id: "https://example.com/", items: { $ref: "#/components/schemas/A" } },
          },
        },
      },
    );
    expect(result).toEqual({
      $ref: "#/$defs/A",
      $defs: { A: { items: { $ref: "#/$defs/A" } } },
    });
  });
});

describe("path items and operations by reference", () => {
  test("an item's own fields take precedence over those of the referenced item", async () => {
    const opened = await openDocument(
      document(
        "3.1.0",
        {
          "/x/{id}": {
            $ref: "#/components/pathItems/Shared",
            parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
            get: { summary: "Own" },
          },
        },
        {
          components: {
            pathItems: {
              Shared: {
                summary: "Of the item",
                parameters: [
                  { name: "id", in: "path", required: true, schema: { type: "string" } },
                  { name: "verbose", in: "query", schema: { type: "boolean" } },
                ],
                get: { summary: "Shared" },
                put: {},
              },
            },
          },
        },
      ),
    );
    const operations = byPlace(opened);
    expect(operations.get("GET /x/{id}")?.summary).toBe("Own");
    const put = operations.get("PUT /x/{id}");
    expect(put?.summary).toBe("Of the item");
    expect(put?.pointer).toBe("/paths/~1x~1{id}/put");
    expect(put?.details().parameters.map(({ name, schema }) => [name, schema.schema])).toEqual([
      ["id", { type: "integer" }],
      ["verbose", { type: "boolean" }],
    ]);
  });
});
