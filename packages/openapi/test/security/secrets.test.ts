import { ToolExecutor, ToolRegistry, type JsonObject, type ToolEvent } from "@toolweave/core";
import { memoryArtifacts, memoryPendingCalls, type AuditRecord } from "@toolweave/core/stores";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openApiSource, type OpenApiOptions } from "../../src/index.ts";
import { RecordingServer } from "@toolweave/test-support/recording-server";
import { createDocument } from "../support/open-source.ts";

let server: RecordingServer;
beforeAll(async () => {
  server = await RecordingServer.start();
});
afterAll(() => server.close());

const token = "tok/4f9a+0c2b==7d1e";

/** An executor that stores everything that it emits. */
async function telling(paths: JsonObject, options: OpenApiOptions = {}, more: JsonObject = {}) {
  const source = openApiSource(createDocument(paths, more), { baseUrl: server.origin, ...options });
  const registry = new ToolRegistry([source]);
  onTestFinished(() => registry.close());
  await registry.ready;
  const events: ToolEvent[] = [];
  const records: AuditRecord[] = [];
  const artifacts = memoryArtifacts();
  const executor = new ToolExecutor({
    registry,
    artifacts,
    eventPayloads: true,
    pendingCalls: memoryPendingCalls(),
    audit: { write: (record) => void records.push(record) },
  });
  executor.on((event) => events.push(event));
  return { executor, events, records, artifacts };
}

/** The encodings of a text on the wire. */
const listForms = (text: string): string[] => [
  text,
  JSON.stringify(text).slice(1, -1),
  encodeURIComponent(text),
  btoa(text),
  Buffer.from(text).toString("base64url"),
];

describe("SE03 a credential that the API returns", () => {
  const get = { get: { operationId: "read", responses: {} } };

  test.each(["text/plain", "application/json", "application/octet-stream", "image/png"])(
    "in a large answer of %s is in nothing that is stored or emitted",
    async (type) => {
      server.answer = ({ headers }, response) => {
        const said = (headers["authorization"] ?? "").replace("Bearer ", "");
        const body = `${"x".repeat(80_000)} ${listForms(said).join(" ")} ${"y".repeat(80_000)}`;
        response
          .setHeader("content-type", type)
          .end(type === "application/json" ? JSON.stringify({ body }) : body);
      };
      const { executor, events, records, artifacts } = await telling(
        { "/a": get },
        { auth: { bearer: token } },
      );
      const run = executor.startRun({ sessionId: "s" });
      const outcome = await run.execute({ id: "1", name: "read", arguments: {} });
      if (outcome.status !== "completed") throw new Error("it failed");
      const kept: string[] = [];
      for (const { key, size } of outcome.result.artifacts) {
        kept.push(Buffer.from((await artifacts.read(key, 0, size)) ?? []).toString("latin1"));
      }
      const all = JSON.stringify([outcome, events, records, kept]);
      for (const form of listForms(token)) expect(all).not.toContain(form);
    },
  );
});

describe("SE09 a password among the arguments", () => {
  const password = "correct-horse-battery";
  const secret = { type: "string", format: "password" };
  const responses = { 204: { description: "ok" } };
  const plain = { type: "string" };
  const marked = { type: "string", "x-secret": true };

  const jsonBody = (properties: JsonObject): JsonObject => ({
    requestBody: {
      required: true,
      content: { "application/json": { schema: { type: "object", properties } } },
    },
  });

  test.each<[string, string, JsonObject, JsonObject, JsonObject?]>([
    [
      "of a JSON body",
      "/users",
      jsonBody({ name: { type: "string" }, secret }),
      { name: "ada", secret: password },
    ],
    [
      "that is writeOnly",
      "/users",
      jsonBody({
        name: { type: "string" },
        secret: { type: "string", writeOnly: true },
      }),
      { name: "ada", secret: password },
    ],
    [
      "of a query",
      "/users",
      { parameters: [{ name: "secret", in: "query", schema: secret }] },
      { secret: password },
    ],
    [
      "of a query, with a neutral name",
      "/users",
      { parameters: [{ name: "q", in: "query", schema: secret }] },
      { q: password },
    ],
    [
      "of an object in a query",
      "/users",
      {
        parameters: [
          {
            name: "q",
            in: "query",
            style: "deepObject",
            schema: { type: "object", properties: { a: secret } },
          },
        ],
      },
      { q: { a: password } },
    ],
    [
      "of a path",
      "/users/{secret}",
      { parameters: [{ name: "secret", in: "path", required: true, schema: secret }] },
      { secret: password },
    ],
    [
      "of a header",
      "/users",
      { parameters: [{ name: "secret", in: "header", schema: secret }] },
      { secret: password },
    ],
    [
      "of a body that is marked with x-secret",
      "/users",
      jsonBody({ pin: { type: "object", properties: { code: marked } } }),
      { pin: { code: password } },
    ],
    [
      "of a body of OpenAPI 3.0, a reference of which is marked with x-secret",
      "/users",
      jsonBody({ pin: { $ref: "#/components/schemas/Pin", "x-secret": true } }),
      { pin: password },
      { openapi: "3.0.3", components: { schemas: { Pin: plain } } },
    ],
    [
      "of a query that is marked with x-secret",
      "/users",
      { parameters: [{ name: "q", in: "query", schema: marked }] },
      { q: password },
    ],
    [
      "of a path, the parameter of which is marked with x-secret",
      "/users/{q}",
      { parameters: [{ name: "q", in: "path", required: true, "x-secret": true, schema: plain }] },
      { q: password },
    ],
  ])(
    "%s is not displayed to the approver of the call, and arrives",
    async (_, path, more, args, document) => {
      server.answer = (_recorded, response) => void response.writeHead(204).end();
      const { executor, events, records } = await telling(
        { [path]: { post: { operationId: "add", responses, ...more } } },
        {},
        document,
      );
      const outcome = await executor.execute({ id: "1", name: "add", arguments: args });
      if (outcome.status !== "interrupted") throw new Error("it did not ask");
      const { interruption } = outcome;
      expect(JSON.stringify([interruption, events, records])).not.toContain(password);
      const resumed = await executor.resume(interruption, [{ type: "approve" }]);
      expect(resumed.status).toBe("completed");
      expect(JSON.stringify([resumed, events, records])).not.toContain(password);
      const { headers, query, body, path: sentPath } = server.last;
      const sent = [headers["secret"], query, String(body), sentPath].join(" ");
      expect(sent).toContain(password);
    },
  );
});
