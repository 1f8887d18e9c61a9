import type { JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { openDocument } from "../../src/operations/document.ts";
import type { SelfContainedSchema } from "../../src/document/operation.ts";
import {
  checkOperations,
  document,
  getFailure,
  folder,
  standalone,
} from "../support/open-documents.ts";
import { cpuTimer } from "../support/cpu-timer.ts";

function body(schema: JsonObject): JsonObject {
  return { requestBody: { required: true, content: { "application/json": { schema } } } };
}

async function bodies(paths: JsonObject, schemas: JsonObject): Promise<SelfContainedSchema[]> {
  const opened = await openDocument(document("3.0.0", paths, { components: { schemas } }));
  return opened.operations.map((operation) => {
    const schema = operation.details().body?.media[0]?.schema;
    if (schema === undefined) throw new Error("no body");
    return schema;
  });
}

describe("definitions", () => {
  const schemas = {
    A: { properties: { b: { $ref: "#/components/schemas/B" } } },
    B: {
      properties: { a: { $ref: "#/components/schemas/A" }, c: { $ref: "#/components/schemas/C" } },
    },
    C: { type: "string", nullable: true },
    D: { type: "null" },
  };

  test("are those that a schema reaches, in order of their names", async () => {
    const [schema] = await bodies(
      { "/x": { put: body({ $ref: "#/components/schemas/B" }) } },
      schemas,
    );
    expect([...(schema?.defs.keys() ?? [])]).toEqual(["A", "B", "C"]);
  });

  test("are one object for all operations, whichever is read first", async () => {
    const paths = {
      "/a": { put: body({ $ref: "#/components/schemas/A" }) },
      "/b": { put: body({ items: { $ref: "#/components/schemas/B" } }) },
    };
    const [a, b] = await bodies(paths, schemas);
    for (const name of ["A", "B", "C"]) expect(a?.defs.get(name)).toBe(b?.defs.get(name));
  });

  test("of schemas that reach each other are one map", async () => {
    const paths = {
      "/a": { put: body({ $ref: "#/components/schemas/A" }) },
      "/b": { put: body({ $ref: "#/components/schemas/B" }) },
    };
    const [a, b] = await bodies(paths, schemas);
    expect(a?.defs).toBe(b?.defs);
  });

  test("have names that depend only on their place", async () => {
    const paths = {
      "/a": { put: body({ $ref: "#/components/schemas/Pet" }) },
      "/b": { put: body({ $ref: "part.json#/components/schemas/Pet" }) },
      "/c": { put: body({ $ref: "Pet.json" }) },
      "/d": { put: body({ $ref: "#/components/schemas/toString" }) },
      "/e": { put: body({ $ref: `#/components/schemas/${"Long".repeat(30)}` }) },
    };
    const components = {
      schemas: { Pet: { const: 1 }, toString: { const: 4 }, ["Long".repeat(30)]: { const: 5 } },
    };
    const path = folder({
      "api.json": document("3.0.0", paths, { components }),
      "part.json": { components: { schemas: { Pet: { const: 2 } } } },
      "Pet.json": { const: 3 },
    });
    const names = async (order: (operations: readonly unknown[]) => readonly unknown[]) => {
      const opened = await openDocument(`${path}/api.json`);
      const found = (order(opened.operations) as typeof opened.operations).map((operation) => {
        const schema = operation.details().body?.media[0]?.schema;
        return [operation.path, [...(schema?.defs ?? [])][0]];
      });
      return Object.fromEntries(found) as Record<string, [string, unknown]>;
    };
    const forward = await names((operations) => operations);
    expect(await names((operations) => operations.toReversed())).toEqual(forward);
    expect(forward["/a"]).toEqual(["Pet", { const: 1 }]);
    expect(forward["/b"]).toEqual(["part.Pet", { const: 2 }]);
    expect(forward["/c"]).toEqual([expect.stringMatching(/^Pet_[0-9a-z]{7}$/), { const: 3 }]);
    expect(forward["/d"]).toEqual([expect.stringMatching(/^toString_[0-9a-z]{7}$/), { const: 4 }]);
    expect(forward["/e"]?.[0]).toHaveLength(64);
  });
});

describe("budgets", () => {
  test("references that fan out 10 times on 12 levels cost 12 definitions", async () => {
    const schemas: Record<string, JsonObject> = { L12: { type: "string" } };
    for (let level = 0; level < 12; level++) {
      schemas[`L${level}`] = {
        properties: Object.fromEntries(
          Array.from({ length: 10 }, (_, index) => [
            `p${index}`,
            { $ref: `#/components/schemas/L${level + 1}` },
          ]),
        ),
      };
    }
    const spent = cpuTimer();
    const [schema] = await bodies(
      { "/x": { put: body({ $ref: "#/components/schemas/L0" }) } },
      schemas,
    );
    expect(schema?.defs.size).toBe(13);
    expect(spent()).toBeLessThan(500);
  });

  test("combinations that fan out 10 times on 12 levels end, too", async () => {
    const schemas: Record<string, JsonObject> = { L12: { type: "object" } };
    for (let level = 0; level < 12; level++) {
      schemas[`L${level}`] = {
        required: ["a"],
        allOf: Array.from({ length: 10 }, () => ({ $ref: `#/components/schemas/L${level + 1}` })),
      };
    }
    const spent = cpuTimer();
    const [schema] = await bodies(
      { "/x": { put: body({ $ref: "#/components/schemas/L0" }) } },
      schemas,
    );
    expect(schema?.defs.size).toBe(13);
    expect(spent()).toBeLessThan(1000);
  });

  test.each([600, 20_000])(
    "a schema nested %i levels deep breaks its operation only",
    async (depth) => {
      let schema: JsonObject = { type: "string" };
      for (let level = 0; level < depth; level++) schema = { properties: { a: schema } };
      const opened = await openDocument(
        document("3.0.0", {
          "/deep": { put: body(schema) },
          "/flat": { put: body({ type: "string" }) },
        }),
      );
      expect(getFailure(opened.operations[0]).message).toBe(
        "the schema is nested deeper than 400 levels",
      );
      expect(checkOperations(opened).map(({ path }) => path)).toEqual(["/flat"]);
    },
  );

  test("a value that contains itself breaks its operation only", async () => {
    const circular: Record<string, unknown> = { type: "object" };
    circular["properties"] = { self: circular };
    const opened = await openDocument(
      document("3.0.0", { "/x": { put: body(circular as JsonObject) } }),
    );
    expect(getFailure(opened.operations[0]).message).toMatch(/nested deeper than/);
  });

  test("aliases that make one schema huge break its operation only", async () => {
    const lines = ["openapi: 3.0.0", "x-0: &a0 { type: string }"];
    for (let level = 1; level <= 6; level++) {
      const members = Array.from({ length: 9 }, (_, index) => `p${index}: *a${level - 1}`).join(
        ", ",
      );
      lines.push(`x-${level}: &a${level} { properties: { ${members} } }`);
    }
    lines.push(
      "paths:",
      "  /x: { put: { requestBody: { required: true, content: { application/json: { schema: *a6 } } } } }",
      "  /y: { put: { requestBody: { required: true, content: { application/json: { schema: *a2 } } } } }",
    );
    const opened = await openDocument(lines.join("\n"));
    expect(getFailure(opened.operations[0]).message).toBe("the schema has more than 200000 parts");
    expect(checkOperations(opened).map(({ path }) => path)).toEqual(["/y"]);
  });

  test("20,000 properties with patterns are read", async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [
        `p${index}`,
        { type: "string", pattern: `^a{${index % 9}}$` },
      ]),
    );
    const required = Object.keys(properties);
    const spent = cpuTimer();
    const [schema] = await bodies({ "/x": { put: body({ properties, required }) } }, {});
    expect(
      Object.keys(
        (standalone(schema as SelfContainedSchema) as JsonObject)["properties"] as object,
      ),
    ).toHaveLength(20_000);
    expect(spent()).toBeLessThan(1000);
  });
});

describe("laziness", () => {
  test("a schema is not read before its operation is needed", async () => {
    const trap = new Proxy(
      {},
      {
        get() {
          throw new Error("read too early");
        },
        ownKeys() {
          throw new Error("read too early");
        },
      },
    ) as JsonObject;
    const opened = await openDocument(
      document(
        "3.0.0",
        { "/x": { get: body(trap), put: {} } },
        { components: { schemas: { A: trap } } },
      ),
    );
    expect(opened.operations.map(({ name }) => name)).toEqual(["get_x", "put_x"]);
    expect(opened.operations[1]?.details().parameters).toEqual([]);
    expect(() => opened.operations[0]?.details()).toThrow("read too early");
  });

  test("a broken response causes nothing until responses are read", async () => {
    const opened = await openDocument(
      document("3.0.0", { "/x": { get: { responses: { 200: { $ref: "#/gone" } } } } }),
    );
    const details = opened.operations[0]?.details();
    expect(opened.problems).toEqual([]);
    expect(details?.responses).toMatchObject([{ status: "200", media: [] }]);
    expect(opened.problems).toHaveLength(1);
  });
});
