import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { ToolExecutor, ToolRegistry, type ToolError } from "@toolweave/core";
import { expect, onTestFinished, test } from "vitest";
import { openApiSource } from "../src/index.ts";
import { RecordingServer, type Answer } from "@toolweave/test-support/recording-server";

const document = (server: string): object => ({
  openapi: "3.1.0",
  info: { title: "T", version: "1" },
  servers: [{ url: server }],
  paths: { "/thing": { get: { operationId: "thing", responses: {} } } },
});

/** The error of a call of the one tool, made through an executor. */
async function catchError(
  source: ReturnType<typeof openApiSource>,
): Promise<{ status: string; text: string; error: ToolError | undefined }> {
  const registry = new ToolRegistry([source]);
  onTestFinished(() => registry.close());
  const outcome = await new ToolExecutor({ registry }).execute({
    id: "1",
    name: "thing",
    arguments: {},
  });
  if (outcome.status === "interrupted") throw new Error("interrupted");
  const [block] = outcome.result.content;
  expect(outcome.result.isError).toBe(true);
  return {
    status: outcome.status,
    text: block?.type === "text" ? block.text : "",
    error: outcome.error,
  };
}

async function answered(answer: Answer): ReturnType<typeof catchError> {
  const server = await RecordingServer.start(answer);
  onTestFinished(() => server.close());
  return catchError(openApiSource(document("/"), { baseUrl: server.origin }));
}

test("upstream: the API answered with an error, which has its status and body", async () => {
  const { status, text, error } = await answered((_, response) => {
    response.writeHead(404, { "content-type": "application/json" }).end('{"why":"gone"}');
  });
  expect({ status, code: error?.code }).toEqual({ status: "completed", code: "upstream" });
  expect(error).toMatchObject({ status: 404, body: { why: "gone" }, retryable: false });
  expect(text).toBe('404 Not Found: {"why":"gone"}');
});

test("upstream: an overloaded API can be called again, after the time that it requests", async () => {
  const { error } = await answered((_, response) => {
    response.writeHead(503, { "retry-after": "7" }).end();
  });
  expect(error).toMatchObject({
    code: "upstream",
    status: 503,
    retryable: true,
    retryAfterMs: 7000,
  });
});

test("auth_required: the API requires credentials, and the host has passed none", async () => {
  const { text, error } = await answered((_, response) => {
    response.writeHead(401).end();
  });
  expect(error).toMatchObject({ code: "auth_required", audience: "user", status: 401 });
  expect(text).toContain("`auth`");
});

test("unavailable: nothing listens at the API's address", async () => {
  const closed = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => closed.once("listening", listening));
  const { port } = closed.address() as AddressInfo;
  await new Promise((done) => closed.close(done));
  const { status, error } = await catchError(
    openApiSource(document("/"), { baseUrl: `http://127.0.0.1:${port}` }),
  );
  expect({ status, code: error?.code, retryable: error?.retryable }).toEqual({
    status: "failed",
    code: "unavailable",
    retryable: true,
  });
});

test("permission_denied: the document, and not the host, chose a loopback address", async () => {
  const { text, error } = await catchError(openApiSource(document("http://127.0.0.1:4010")));
  expect(error?.code).toBe("permission_denied");
  expect(text).toContain('allowOrigins: ["http://127.0.0.1:4010"]');
});
