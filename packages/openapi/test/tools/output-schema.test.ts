import type { JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { openSource, findTool } from "../support/call-tool.ts";
import { openApi } from "../support/start-api.ts";

const event = { type: "object", required: ["data"], properties: { data: { type: "string" } } };

async function getSchema(content: JsonObject): Promise<unknown> {
  const source = await openSource({
    "/x": { get: { operationId: "x", responses: { "200": { description: "ok", content } } } },
  });
  return findTool(source, "x").spec.outputSchema;
}

describe("the output schema of an item stream (OpenAPI 3.2, section 4.14.3)", () => {
  test("is a list of its itemSchema", async () => {
    expect(await getSchema({ "text/event-stream": { itemSchema: event } })).toMatchObject({
      type: "array",
      items: event,
    });
  });

  test("is its schema if that is a list, and none if it is of one item", async () => {
    const list = { type: "array", items: { type: "integer" } };
    expect(await getSchema({ "application/jsonl": { schema: list } })).toMatchObject(list);
    expect(await getSchema({ "text/event-stream": { schema: event } })).toBeUndefined();
  });

  test("is one of both if the answer may be JSON, too", async () => {
    const json = { type: "object", properties: { id: { type: "string" } } };
    expect(
      await getSchema({
        "application/json": { schema: json },
        "text/event-stream": { schema: event },
      }),
    ).toMatchObject({ anyOf: [json, { type: "array" }] });
  });
});

test.each([
  ["text/event-stream", 'data: {"id":"a"}\n\n', 0],
  ["application/json", '{"id":"a"}', 0],
  ["application/json", '{"id":7}', 1],
])("an answer of %s is checked against the schema of its kind", async (type, answer, count) => {
  const json = { type: "object", properties: { id: { type: "string" } } };
  const content = {
    "application/json": { schema: json },
    "text/event-stream": { itemSchema: event },
  };
  const paths = {
    "/x": { get: { operationId: "x", responses: { "200": { description: "ok", content } } } },
  };
  const { call, executor } = await openApi(paths, (_request, response) =>
    response.setHeader("content-type", type).end(answer),
  );
  const warnings: unknown[] = [];
  executor.on((emitted) => {
    if (emitted.type === "tool.completed") warnings.push(...(emitted.warnings ?? []));
  });
  expect((await call("x")).status).toBe("completed");
  expect(warnings).toHaveLength(count);
});
