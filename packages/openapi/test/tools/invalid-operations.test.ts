import { ToolRegistry, type JsonObject, type JsonValue } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { rejection, openSource, findTool } from "../support/call-tool.ts";
import type { OperationOverride } from "../../src/index.ts";

const ok = { "200": { description: "ok" } };

describe("a broken operation", () => {
  const broken = {
    "/good": { get: { responses: ok } },
    "/bad": { post: { requestBody: { $ref: "#/components/requestBodies/gone" }, responses: ok } },
    "/climbing/..": { post: { responses: ok } },
  };

  test("is a tool until it is read, and then a problem; nothing else is affected", async () => {
    await using source = await openSource(broken);
    const registry = new ToolRegistry([source]);
    await registry.ready;
    const tool = findTool(source, "post_bad");
    expect(registry.size).toBe(3);

    expect(JSON.stringify(registry.toolset().get("post_bad")?.spec)).toContain(
      '"inputSchema":{"type":"object"}',
    );
    expect(tool.availability).toMatchObject({
      status: "unavailable",
      reason: expect.stringContaining("post_bad cannot be called") as string,
    });
    await Promise.resolve();
    expect(source.tools().map(({ spec }) => spec.name)).toEqual(["get_good", "post_climbing"]);
    expect(registry.get("post_bad")).toBeUndefined();
    expect(registry.problems).toMatchObject([
      {
        subject: "POST /bad",
        message: expect.stringContaining("#/components/requestBodies/gone") as string,
        pointer: "/paths/~1bad/post/requestBody",
      },
    ]);
  });

  test("answers a call with unavailable, and is reported only once", async () => {
    await using source = await openSource(broken, { baseUrl: "http://127.0.0.1:1" });
    const tool = findTool(source, "post_bad");
    for (let times = 0; times < 2; times++) {
      expect(await rejection(tool)).toMatchObject({ code: "unavailable", retryable: false });
    }
    expect(() => tool.preflight?.({}, {} as never)).toThrow(
      expect.objectContaining({ code: "unavailable" }) as Error,
    );
    expect(source.problems).toHaveLength(1);
  });

  test("is reported with all others when everything is read", async () => {
    await using source = await openSource(broken, { baseUrl: "http://127.0.0.1:1" });
    let changes = 0;
    source.onChange(() => changes++);
    source.realize();
    await Promise.resolve();
    expect(changes).toBe(1);
    expect(source.tools().map(({ spec }) => spec.name)).toEqual(["get_good"]);
    expect(
      source.problems.map(({ subject, severity = "error" }) => `${severity} ${subject}`),
    ).toEqual(["error POST /bad", "error POST /climbing/.."]);
  });
});

describe("a body", () => {
  const form = (schema: JsonObject): JsonObject => ({
    "application/x-www-form-urlencoded": { schema },
  });

  async function read(
    requestBody: JsonObject,
    override?: OperationOverride,
  ): Promise<[tools: string[], problems: JsonValue[]]> {
    await using source = await openSource(
      { "/x": { post: { parameters: [{ name: "id", in: "query" }], requestBody, responses: ok } } },
      {
        baseUrl: "http://127.0.0.1:1",
        ...(override === undefined ? {} : { overrides: { "POST /x": override } }),
      },
    );
    source.realize();
    await Promise.resolve();
    return [
      source
        .tools()
        .map(({ spec }) => Object.keys(spec.inputSchema["properties"] as object).join()),
      source.problems.map(({ severity = "error", message, pointer = "" }) => [
        severity,
        message,
        pointer,
      ]),
    ];
  }

  const list = { type: "array", items: { type: "string" } };
  const number = { type: "integer" };

  test.each<[string, JsonObject]>([
    ["application/x-www-form-urlencoded", list],
    ["application/x-www-form-urlencoded", { anyOf: [list, number] }],
    ["multipart/form-data", number],
    ["multipart/mixed", number],
  ])("without a value that can be sent as %s breaks its operation: %j", async (type, schema) => {
    const content = { [type]: { schema } };
    expect(await read({ required: true, content })).toEqual([
      [],
      [["error", `no value of its body can be sent as ${type}.`, "/paths/~1x/post"]],
    ]);
    const [tools, problems] = await read({ content });
    expect(tools).toEqual(["id"]);
    expect(problems).toEqual([
      [
        "warning",
        `It is called without a body: no value of its body can be sent as ${type}.`,
        "/paths/~1x/post",
      ],
    ]);
  });

  test("whose only part has no name is sent under an assumed name, with a warning until the host names it", async () => {
    const pointer = "/paths/~1x/post";
    const schema = { type: "string", format: "binary" };
    const content = { "multipart/form-data": { schema } };
    expect(await read({ required: true, content })).toEqual([
      ["id,file"],
      [
        [
          "warning",
          'The document does not name the part of its multipart body: it is sent as "file". If the API expects another name, set overrides with partName.',
          pointer,
        ],
      ],
    ]);
    const partName = "attachment";
    expect(await read({ required: true, content }, { partName })).toEqual([["id,attachment"], []]);
    const named = {
      "multipart/form-data": { schema: { type: "object", properties: { a: schema } } },
    };
    expect(await read({ content: named }, { partName })).toEqual([
      ["id,a"],
      [
        [
          "warning",
          "overrides sets a partName, but the document names the parts of the body.",
          pointer,
        ],
      ],
    ]);
  });

  test("is sent as another of its media types if one cannot represent it", async () => {
    const content = { ...form(list), "text/csv": { schema: list } };
    expect(await read({ required: true, content })).toEqual([["id,body"], []]);
  });

  test("that is broken and optional is omitted with a warning, and breaks the operation if it is required", async () => {
    const content = form({ properties: 7, allOf: [7] } as never);
    const pointer =
      "/paths/~1x/post/requestBody/content/application~1x-www-form-urlencoded/schema/allOf/0";
    const gone = expect.stringContaining("schema must be an object") as string;
    expect(await read({ content })).toEqual([["id"], [["warning", gone, pointer]]]);
    expect(await read({ required: true, content })).toEqual([[], [["error", gone, pointer]]]);
  });
});

describe("a value that is nested without end", () => {
  const deep = JSON.parse("[".repeat(20_000) + "]".repeat(20_000)) as JsonValue;

  async function listed(version: string, schema: JsonObject): Promise<string[]> {
    await using source = await openSource(
      {
        "/bad": {
          get: {
            operationId: "bad",
            parameters: [{ in: "query", name: "q", schema: { type: "string", ...schema } }],
            responses: ok,
          },
        },
        "/good": { get: { operationId: "good", responses: ok } },
      },
      {},
      { openapi: version },
    );
    const registry = new ToolRegistry([source]);
    await registry.ready;
    const written = [...registry.toolset().entries()].map(({ tool }) => JSON.stringify(tool.spec));
    expect(written).toHaveLength(2);
    expect(written.join("").length).toBeLessThan(2000);
    await Promise.resolve();
    return source.tools().map(({ spec }) => spec.name);
  }

  test.each([{ default: deep }, { example: deep }, { examples: [deep] }])(
    "is omitted if it only describes: %#",
    async (schema) => {
      for (const version of ["3.0.0", "3.1.0"])
        expect(await listed(version, schema)).toEqual(["bad", "good"]);
    },
  );

  test.each([{ enum: [deep] }, { const: deep }])(
    "breaks the operation that needs it, and no other: %#",
    async (schema) => {
      expect(await listed("3.1.0", schema)).toEqual(["good"]);
    },
  );
});
