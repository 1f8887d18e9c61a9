import {
  ToolExecutor,
  ToolRegistry,
  type ArtifactRef,
  type JsonObject,
  type RunOptions,
  type ToolOutcome,
  type ToolResult,
} from "@toolweave/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openApiSource } from "../../../src/index.ts";
import { RecordingServer } from "@toolweave/test-support/recording-server";

const binary = { type: "string", format: "binary" };

function upload(content: JsonObject): JsonObject {
  return {
    requestBody: { required: true, content },
    responses: { 200: { description: "Done." } },
  };
}

const paths: JsonObject = {
  "/download": {
    get: {
      operationId: "download",
      responses: { 200: { description: "A file.", content: { "application/zip": {} } } },
    },
  },
  "/raw": { put: { operationId: "raw", ...upload({ "application/zip": { schema: binary } }) } },
  "/any": { put: { operationId: "any", ...upload({ "application/*": { schema: binary } }) } },
  "/form": {
    post: {
      operationId: "form",
      ...upload({
        "multipart/form-data": {
          schema: {
            type: "object",
            properties: {
              file: binary,
              more: { type: "array", items: binary },
              note: { type: "string" },
            },
          },
        },
      }),
    },
  },
};

// Bytes of every value, without a pattern.
const archive = Buffer.alloc(3_000_000);
for (let at = 0, state = 1; at < archive.length; at++) {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
  archive[at] = state >> 16;
}

let server: RecordingServer;
let registry: ToolRegistry;
let executor: ToolExecutor;

beforeEach(async () => {
  server = await RecordingServer.start(({ path }, response) => {
    response.setHeader("content-type", path === "/download" ? "application/zip" : "text/plain");
    response.end(path === "/download" ? archive : "ok");
  });
  const document = {
    openapi: "3.1.0",
    info: { title: "Files", version: "1" },
    paths,
  };
  registry = new ToolRegistry([openApiSource.fromDocument(document, { baseUrl: server.origin })]);
  await registry.ready;
  executor = new ToolExecutor({ registry, policy: "autonomous" });
});

afterEach(async () => {
  await registry.close();
  await server.close();
});

const run = (name: string, args: JsonObject, options: RunOptions = {}): Promise<ToolOutcome> =>
  executor.execute({ id: name, name, arguments: args }, options);

async function awaitResult(outcome: Promise<ToolOutcome>): Promise<ToolResult> {
  const ended = await outcome;
  if (ended.status !== "completed") throw new Error(JSON.stringify(ended));
  return ended.result;
}

async function download(options?: RunOptions): Promise<ArtifactRef> {
  const { content, artifacts } = await awaitResult(run("download", {}, options));
  const [ref] = artifacts;
  expect(ref).toMatchObject({ mediaType: "application/zip", size: 3_000_000, name: "download" });
  expect(JSON.stringify(content).length).toBeLessThan(500);
  return ref as ArtifactRef;
}

describe("an artifact that one operation has downloaded", () => {
  test.each(["", "artifact:"])(
    "is uploaded by another, byte by byte, as %sart_…",
    async (before) => {
      const { key } = await download();
      const { content } = await awaitResult(run("raw", { body: before + key }));
      expect(content).toEqual([{ type: "text", text: "ok" }]);
      expect(server.last.headers["content-type"]).toBe("application/zip");
      expect(server.last.body.equals(archive)).toBe(true);
    },
  );

  test("can be a file of a form, with its own name and type, several times if needed", async () => {
    const { key } = await download();
    await awaitResult(run("form", { file: key, more: [key, btoa("plain")], note: key }));
    const form = await new Response(new Uint8Array(server.last.body), {
      headers: { "content-type": server.last.headers["content-type"] ?? "" },
    }).formData();
    const files = [form.get("file"), ...form.getAll("more")] as File[];
    expect(files.map(({ name, type, size }) => [name, type, size])).toEqual([
      ["download", "application/zip", 3_000_000],
      ["download", "application/zip", 3_000_000],
      ["more", "application/octet-stream", 5],
    ]);
    expect(Buffer.from(await (files[1] as File).arrayBuffer()).equals(archive)).toBe(true);
    // A text is a text, whatever it looks like.
    expect(form.get("note")).toBe(key);
  });

  test("has its own type if the operation accepts any", async () => {
    const { key } = await download();
    await awaitResult(run("any", { body: key }));
    expect(server.last.headers["content-type"]).toBe("application/zip");
  });

  test("is not sent for another session or caller, and nothing is sent instead", async () => {
    const { key } = await download({ sessionId: "a", caller: { id: "alice" } });
    const sent = server.requests.length;
    for (const options of [{}, { sessionId: "a" }, { sessionId: "a", caller: { id: "bob" } }]) {
      const outcome = await run("raw", { body: key }, options);
      expect(outcome).toMatchObject({ status: "failed", error: { code: "artifact_missing" } });
    }
    expect(server.requests).toHaveLength(sent);
  });

  test("is not sent a hundred times", async () => {
    const { key } = await download();
    const sent = server.requests.length;
    const outcome = await run("form", { more: Array.from({ length: 100 }, () => key) });
    expect(outcome).toMatchObject({ status: "failed", error: { code: "limit_exceeded" } });
    expect(server.requests).toHaveLength(sent);
  });

  test("is displayed to a person as its key, before anything is read or sent", async () => {
    const { key } = await download();
    const asking = new ToolExecutor({ registry, policy: "supervised" });
    const outcome = await asking.execute({ id: "c", name: "raw", arguments: { body: key } });
    expect(outcome).toMatchObject({
      status: "interrupted",
      interruption: { call: { arguments: { body: key } } },
    });
  });
});
