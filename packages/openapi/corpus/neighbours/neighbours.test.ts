// Every trait of a schema in every wrapper, place and version: the right request is sent, or the call is refused.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolExecutor, ToolRegistry, type ToolOutcome } from "@toolweave/core";
import { inFullRun, isFullRun } from "@toolweave/test-support";
import { RecordingServer, type Recorded } from "@toolweave/test-support/recording-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApiSource, type OpenApiSource } from "../../src/index.ts";
import { readForm } from "../../test/support/round-trip/wire-body.ts";
import {
  createDocuments,
  toArguments,
  type Neighbour,
  type NeighbourDocument,
} from "./neighbours.ts";
import type { Wire } from "./places.ts";

const forms = ["text", "object", "file", "url"] as const;
type Form = (typeof forms)[number];

// A quick run has one of 23, so that it draws from all traits, wrappers and places.
const documents = createDocuments((index) => isFullRun || index % 23 === 0);

let server: RecordingServer;
let scratch: string;

beforeAll(async () => {
  server = await RecordingServer.start();
  scratch = await mkdtemp(join(tmpdir(), "toolweave-neighbours-"));
});

afterAll(async () => {
  await server.close();
  await rm(scratch, { recursive: true });
});

async function openSource(
  { document, version }: NeighbourDocument,
  form: Form,
): Promise<OpenApiSource> {
  const text = JSON.stringify(document);
  const options = { baseUrl: server.origin };
  server.answer = ({ path }, response) => {
    if (path !== "/openapi.json") return void response.writeHead(204).end();
    response.setHeader("content-type", "application/json");
    response.end(text);
  };
  if (form === "text") return openApiSource.fromString(text, options);
  if (form === "object") return openApiSource.fromDocument(document, options);
  if (form === "url") return openApiSource.fromUrl(`${server.origin}/openapi.json`, options);
  const file = join(scratch, `${version}.json`);
  await writeFile(file, text);
  return openApiSource.fromFile(file, options);
}

/** The request of a neighbour, as far as the value decides it. */
async function toWire({ path, query, headers, body }: Recorded, { id }: Neighbour): Promise<Wire> {
  const type = headers["content-type"] ?? "";
  const rest = path.slice(`/${id}`.length);
  return {
    ...(rest === "" ? {} : { path: rest }),
    ...(query === "" ? {} : { query }),
    ...(headers["v"] === undefined ? {} : { header: headers["v"] }),
    ...(headers["cookie"] === undefined ? {} : { cookie: headers["cookie"] }),
    ...(type.startsWith("application/json") ? { json: body.toString() } : {}),
    ...(type.startsWith("application/x-www-form-urlencoded") ? { form: body.toString() } : {}),
    ...(type.startsWith("multipart/form-data") ? { parts: await readParts(type, body) } : {}),
  };
}

async function readParts(type: string, body: Buffer): Promise<NonNullable<Wire["parts"]>> {
  return (await readForm(type, body)).map((field) => ({
    name: field.name,
    ...(field.isFile ? { filename: field.name } : {}),
    ...(field.isFile || field.type !== "text/plain" ? { type: field.type } : {}),
    body: field.bytes.toString(),
  }));
}

/** The observed request, or the reason of a refusal. */
async function observe(
  neighbour: Neighbour,
  outcome: ToolOutcome | undefined,
): Promise<Wire | string> {
  if (outcome === undefined) return "no tool";
  if (outcome.status === "interrupted") return "interrupted";
  if (outcome.result.isError) return `refused: ${JSON.stringify(outcome.result.content)}`;
  const [request, another] = server.requests;
  return request === undefined || another !== undefined
    ? `${server.requests.length} requests`
    : await toWire(request, neighbour);
}

test(`there are ${inFullRun("at least 4,000", "hundreds of")} neighbours`, () => {
  const count = documents.reduce((sum, { neighbours }) => sum + neighbours.length, 0);
  expect(count).toBeGreaterThanOrEqual(inFullRun(4000, 150));
});

describe.each(documents)("$version", (document) => {
  test.each(forms)("as %s, every request is right, and no value is lost", async (form) => {
    const source = await openSource(document, form);
    const registry = new ToolRegistry([source]);
    await registry.ready;
    const executor = new ToolExecutor({
      registry,
      policy: "autonomous",
      onAsk: () => ({ approved: true }),
    });
    const tools = new Map(source.tools().map((tool) => [tool.spec.name, tool]));
    const wrong: string[] = [];
    for (const neighbour of document.neighbours) {
      server.requests.length = 0;
      const tool = tools.get(neighbour.id);
      const outcome =
        tool === undefined
          ? undefined
          : await executor.execute({
              id: "1",
              name: neighbour.id,
              arguments: toArguments(neighbour, tool.spec.inputSchema),
            });
      const observed = await observe(neighbour, outcome);
      const { wire } = neighbour;
      const isRight =
        wire === undefined
          ? typeof observed === "string" && observed.startsWith("refused")
          : JSON.stringify(observed) === JSON.stringify(wire);
      if (!isRight) {
        wrong.push(
          `${neighbour.name}: ${JSON.stringify(wire ?? "a refusal")}, not ${JSON.stringify(observed)}`,
        );
      }
    }
    await registry.close();
    // The first ones are enough to find a cause.
    expect(wrong.slice(0, 20)).toEqual([]);
  });
});
