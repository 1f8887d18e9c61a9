import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { ToolRegistry, type JsonObject, type RegistryDiff, type Tool } from "@toolweave/core";
import { startServer } from "@toolweave/test-support/start-server";
import { onTestFinished } from "vitest";
import { openApiSource, type OpenApiOptions, type OpenApiSource } from "../../src/index.ts";
import { folder } from "./open-documents.ts";

/** A schema with a property. */
export const pet = { type: "object", properties: { name: { type: "string" } } };

/** A document with these paths and schemas. */
export function api(
  paths: JsonObject,
  schemas: JsonObject = {},
  more: JsonObject = {},
): JsonObject {
  const info = { title: "Test", version: "1" };
  return {
    openapi: "3.1.1",
    info,
    servers: [{ url: "https://api.example" }],
    paths,
    components: { schemas },
    ...more,
  };
}

/** A path item with a GET that takes `q`. */
export function get(operationId: string, schema: JsonObject = { type: "string" }): JsonObject {
  const parameters = [{ name: "q", in: "query", schema }];
  return { get: { operationId, parameters, responses: { 200: { description: "ok" } } } };
}

/** The first version of a document: three operations, one of which uses schemas. */
export const before: JsonObject = api(
  { "/a": get("a"), "/b": get("b", { $ref: "#/components/schemas/Pet" }), "/c": get("c") },
  { Pet: { properties: { owner: { $ref: "#/components/schemas/Owner" } } }, Owner: pet },
);

/** A source in a registry, and the changes of that. */
export interface Watched {
  readonly source: OpenApiSource;
  readonly registry: ToolRegistry;
  readonly diffs: RegistryDiff[];
}

/** Loads a document into a registry, until the test ends. */
export async function loaded(document: string, options: OpenApiOptions = {}): Promise<Watched> {
  const source = openApiSource(document, { id: "test", ...options });
  const registry = new ToolRegistry([source]);
  onTestFinished(() => registry.close());
  await registry.ready;
  await source.ready;
  const diffs: RegistryDiff[] = [];
  registry.onChange((diff) => diffs.push(diff));
  return { source, registry, diffs };
}

/** A tool of the source, by name. */
export function tool({ source }: Watched, name: string): Tool {
  return source.tools().find(({ spec }) => spec.name === name) as Tool;
}

/** A watched document: its location, and the function that writes its next version. */
interface WatchedFile extends Watched {
  readonly path: string;
  write(next: JsonObject | string): void;
}

interface Served {
  readonly url: string;
  /** The received requests. */
  readonly seen: IncomingMessage[];
}

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** A document in a file, and the function that writes its next version. */
export async function file(options?: OpenApiOptions): Promise<WatchedFile> {
  const path = join(folder({ "api.json": before }), "api.json");
  const watched = await loaded(path, options);
  return {
    ...watched,
    path,
    write: (next) => writeFileSync(path, typeof next === "string" ? next : JSON.stringify(next)),
  };
}

/** A server with a document, which counts its responses. */
export async function served(answer: (request: IncomingMessage) => Answer): Promise<Served> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    const { status = 200, headers = {}, body } = answer(request);
    response.writeHead(status, headers).end(body === undefined ? undefined : JSON.stringify(body));
  });
  return { url: `${await startServer(server)}/api.json`, seen };
}
