import { conformance, type Manifest } from "@toolweave/conformance/vitest";
import { filter, prefix } from "@toolweave/core";
import { afterAll, beforeAll } from "vitest";
import { openApiSource } from "../src/index.ts";
import { RecordingServer, type Recorded } from "@toolweave/test-support/recording-server";

let server: RecordingServer;
/** Requests are accepted, and their connections break before the answer. */
let losesAnswers = false;

beforeAll(async () => {
  server = await RecordingServer.start();
  server.answer = (recorded, response) => {
    if (losesAnswers) return void response.destroy();
    const { status, body } = answerTo(recorded);
    // An operation without a status is never answered: a call of it ends when it is cancelled.
    if (status === undefined) return;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
});
afterAll(() => server.close());

const book = {
  type: "object",
  properties: {
    id: { type: "integer", readOnly: true },
    title: { type: "string", minLength: 1 },
    subtitle: { type: "string", nullable: true },
    shelf: { $ref: "#/components/schemas/Shelf" },
  },
  required: ["title"],
};
const json = (schema: object): object => ({ content: { "application/json": { schema } } });
const ofBook = { description: "A book.", ...json({ $ref: "#/components/schemas/Book" }) };

/** OpenAPI 3.0, whose schemas are not JSON Schema yet. */
const library = {
  openapi: "3.0.3",
  info: { title: "Library", version: "1" },
  servers: [{ url: "/" }],
  components: {
    schemas: {
      Book: book,
      Shelf: {
        type: "object",
        properties: {
          room: { type: "string", enum: ["attic", "cellar"] },
          height: { type: "number", minimum: 0, exclusiveMinimum: true },
          above: { $ref: "#/components/schemas/Shelf" },
        },
      },
    },
  },
  paths: {
    "/books": {
      get: {
        operationId: "listBooks",
        summary: "List the books of a page.",
        parameters: [
          { name: "page", in: "query", schema: { type: "integer", minimum: 1, default: 1 } },
          { name: "X-Language", in: "header", schema: { type: "string", pattern: "^[a-z]{2}$" } },
          {
            name: "where",
            in: "query",
            style: "deepObject",
            schema: { type: "object", properties: { title: { type: "string" } } },
          },
        ],
        responses: {
          200: {
            description: "Books.",
            ...json({ type: "array", items: { $ref: "#/components/schemas/Book" } }),
          },
        },
      },
      post: {
        operationId: "addBook",
        requestBody: { required: true, ...json({ $ref: "#/components/schemas/Book" }) },
        responses: { 201: ofBook },
      },
    },
    "/books/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
      get: { operationId: "getBook", responses: { 200: ofBook, 404: { description: "None." } } },
      put: {
        requestBody: { required: true, ...json({ $ref: "#/components/schemas/Book" }) },
        responses: { 200: ofBook },
      },
      delete: { operationId: "deleteBook", responses: { 204: { description: "Gone." } } },
    },
    "/inventory": {
      get: { operationId: "takeInventory", responses: { 200: { description: "A count." } } },
    },
  },
};

const token = "t0ken-of-the-library";

/** Bytes of the longest book. */
const longest = 300_000;

function answerTo({ method, path, headers }: Recorded): { status?: number; body?: unknown } {
  if (path === "/openapi.json") return { status: 200, body: library };
  if (path === "/inventory") return {};
  if (path === "/books" && method === "GET")
    return { status: 200, body: [{ id: 1, title: "Emma" }] };
  if (path === "/books") return { status: 201, body: { id: 2, title: "Emma" } };
  // A server that repeats its requests must not reveal them.
  const { authorization = null } = headers;
  if (path === "/books/1") {
    return { status: 200, body: { id: 1, title: "Emma", subtitle: null, authorization } };
  }
  if (path === "/books/2") return { status: 200, body: { title: "Clarissa ".repeat(longest / 9) } };
  return { status: 404, body: { error: "There is no such book.", authorization } };
}

function manifest(
  name: string,
  create: Manifest["create"],
  named: (tool: string) => string,
  more: Pick<Manifest, "createWithSchema"> = {},
): Manifest {
  const added = (): number =>
    server.requests.filter(({ method, path }) => method === "POST" && path === "/books").length;
  const changes = (): number => server.requests.filter(({ method }) => method !== "GET").length;
  return {
    name,
    create,
    samples: {
      succeedingCalls: [
        { tool: named("list_books"), arguments: { page: 1, where: { title: "Emma" } } },
        { tool: named("get_book"), arguments: { id: 1 } },
      ],
      failingCalls: [{ tool: named("get_book"), arguments: { id: 7 } }],
      slowCalls: [{ tool: named("take_inventory"), arguments: {} }],
      effectCalls: [{ tool: named("add_book"), arguments: { title: "Emma" }, count: added }],
      largeCalls: [{ tool: named("get_book"), arguments: { id: 2 }, bytes: longest }],
    },
    generatedCalls: ["list_books", "add_book", "get_book"].map(named),
    state: changes,
    secrets: [token],
    outage: {
      begin: () => server.pause(),
      loseAnswers: () => {
        losesAnswers = true;
      },
      end: async () => {
        if (!losesAnswers) await server.resume();
        losesAnswers = false;
      },
    },
    ...more,
    without: {
      suspendingCalls: "an operation does not ask a person",
      updatingCalls: "an operation answers once",
      change: "a document is read once",
    },
  };
}

const source = (): ReturnType<typeof openApiSource> =>
  openApiSource(`${server.origin}/openapi.json`, { auth: { bearer: token } });

/** The same library with one more operation, whose body has that schema. */
const withSchema: Manifest["createWithSchema"] = (schema) => {
  const odd = {
    operationId: "addOdd",
    requestBody: { required: true, ...json(schema) },
    responses: { 204: { description: "Added." } },
  };
  const document = {
    ...library,
    servers: [{ url: server.origin }],
    paths: { ...library.paths, "/odd": { post: odd } },
  };
  return openApiSource(document, { auth: { bearer: token }, allowOrigins: [server.origin] });
};

conformance(
  manifest("an OpenAPI source", source, (tool) => tool, { createWithSchema: withSchema }),
);
conformance(
  manifest(
    "an OpenAPI source with a prefix and a filter",
    () =>
      prefix(
        filter(source(), ({ spec }) => spec.name !== "delete_book"),
        "library",
      ),
    (tool) => `library__${tool}`,
  ),
);
