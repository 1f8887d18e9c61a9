import {
  ToolExecutor,
  ToolRegistry,
  type JsonObject,
  type ToolOutcome,
  type ToolResult,
} from "@toolweave/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openApiSource } from "../src/index.ts";
import { startMuseum } from "./support/museum.ts";
import type { RecordingServer } from "@toolweave/test-support/recording-server";

let server: RecordingServer;
let registry: ToolRegistry;
let executor: ToolExecutor;

beforeEach(async () => {
  server = await startMuseum();
  registry = new ToolRegistry([openApiSource(`${server.origin}/openapi.json`)]);
  await registry.ready;
  executor = new ToolExecutor({ registry });
});

afterEach(async () => {
  await registry.close();
  await server.close();
});

const run = (name: string, args: JsonObject = {}): Promise<ToolOutcome> =>
  executor.execute({ id: "call_1", name, arguments: args });

/** Makes a call and approves its requests. */
async function approved(name: string, args: JsonObject = {}): Promise<ToolResult> {
  const outcome = await run(name, args);
  const after =
    outcome.status === "interrupted"
      ? await executor.resume(outcome.interruption, [{ type: "approve" }])
      : outcome;
  if (after.status === "interrupted") throw new Error("interrupted twice");
  return after.result;
}

describe("an API through the executor", () => {
  test("can create, list, read and delete", async () => {
    expect(
      await approved("create_event", { name: "Ants", date: "2026-12-01", price: 3 }),
    ).toMatchObject({
      isError: false,
      value: { id: 1, name: "Ants" },
    });
    await approved("create_event", { name: "Bees", date: "2027-01-01" });
    expect((await approved("list_events", { from: "2026-12-31" })).value).toMatchObject([
      { name: "Bees" },
    ]);
    expect((await approved("list_events", { ids: [1, 2] })).value).toHaveLength(2);
    expect(server.last.query).toBe("ids=1,2");
    expect((await approved("delete_event", { id: 1 })).content).toEqual([
      { type: "text", text: "204 No Content" },
    ]);
    expect((await approved("get_event", { id: 1 })).isError).toBe(true);
  });

  test("asks before it deletes, and the request names the resource", async () => {
    await approved("create_event", { name: "Ants", date: "2026-12-01" });
    const before = server.requests.length;
    const outcome = await run("delete_event", { id: 1 });
    expect(outcome).toMatchObject({
      status: "interrupted",
      interruption: {
        requests: [
          {
            type: "approval",
            permission: {
              kind: "network",
              target: `DELETE ${server.origin}/api/events/1`,
              summary: `DELETE /api/events/1 on ${server.origin}`,
            },
          },
        ],
      },
    });
    expect(server.requests).toHaveLength(before);
  });

  test("reads without approval", async () => {
    expect((await run("list_events")).status).toBe("completed");
  });

  test("answers a 404 as a completed call with an error", async () => {
    const outcome = await run("get_event", { id: 7 });
    expect(outcome).toMatchObject({
      status: "completed",
      error: { code: "upstream", status: 404 },
      result: {
        isError: true,
        content: [{ type: "text", text: "404 Not Found: no such event." }],
      },
    });
  });

  test("refuses an invalid argument before anything is sent", async () => {
    const before = server.requests.length;
    expect(await run("get_event", { id: "seven" })).toMatchObject({
      status: "failed",
      error: { code: "invalid_arguments" },
    });
    expect(await run("create_event", { name: "Ants", date: "2026-12-01", extra: 1 })).toMatchObject(
      {
        status: "failed",
        error: { code: "invalid_arguments" },
      },
    );
    expect(server.requests).toHaveLength(before);
  });

  test("transfers an image in both directions, unchanged", async () => {
    const image = Buffer.from(Uint8Array.from({ length: 300 }, (_, index) => index % 256)).toString(
      "base64",
    );
    await approved("create_event", { name: "Ants", date: "2026-12-01" });
    await approved("set_poster", { id: 1, image });
    expect((await approved("get_poster", { id: 1 })).content).toEqual([
      { type: "image", mimeType: "image/png", data: image },
    ]);
  });

  test("warns of an answer that violates its own schema, and returns it", async () => {
    const warnings: unknown[] = [];
    executor.on((event) => {
      if (event.type === "tool.completed") warnings.push(event);
    });
    const answer = server.answer;
    server.answer = (_recorded, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end('{"id":"one"}');
    expect(await run("get_event", { id: 1 })).toMatchObject({
      status: "completed",
      result: { isError: false, value: { id: "one" } },
    });
    server.answer = answer;
    expect(JSON.stringify(warnings)).toContain(
      "The output of get_event does not match its output schema",
    );
  });
});
