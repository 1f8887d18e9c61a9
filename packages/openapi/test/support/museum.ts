import { RecordingServer, type Recorded } from "@toolweave/test-support/recording-server";

interface Event {
  readonly id: number;
  readonly name: string;
  readonly date: string;
  readonly price: number;
}

const event = {
  type: "object",
  required: ["name", "date"],
  properties: {
    id: { type: "integer", readOnly: true },
    name: { type: "string", minLength: 1 },
    date: { type: "string", format: "date" },
    price: { type: "number", minimum: 0 },
  },
};
const ofEvent = {
  description: "ok",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Event" } } },
};
const ofError = {
  description: "error",
  content: { "application/problem+json": { schema: { type: "object" } } },
};
const id = { name: "id", in: "path", required: true, schema: { type: "integer" } };

/** The museum's own document. */
export const museumDocument: object = {
  openapi: "3.1.0",
  info: { title: "Museum", version: "1" },
  servers: [{ url: "/api" }],
  components: { schemas: { Event: event } },
  paths: {
    "/events": {
      get: {
        operationId: "listEvents",
        summary: "List events",
        parameters: [
          { name: "from", in: "query", schema: { type: "string", format: "date" } },
          {
            name: "ids",
            in: "query",
            explode: false,
            schema: { type: "array", items: { type: "integer" } },
          },
        ],
        responses: {
          "200": {
            description: "ok",
            content: {
              "application/json": {
                schema: { type: "array", items: { $ref: "#/components/schemas/Event" } },
              },
            },
          },
        },
      },
      post: {
        operationId: "createEvent",
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Event" } } },
        },
        responses: { "201": ofEvent },
      },
    },
    "/events/{id}": {
      parameters: [id],
      get: { operationId: "getEvent", responses: { "200": ofEvent, "404": ofError } },
      delete: {
        operationId: "deleteEvent",
        responses: { "204": { description: "gone" }, "404": ofError },
      },
    },
    "/events/{id}/poster": {
      parameters: [id],
      put: {
        operationId: "setPoster",
        requestBody: {
          required: true,
          content: {
            "multipart/form-data": {
              schema: {
                type: "object",
                properties: { image: { type: "string", contentMediaType: "image/png" } },
              },
            },
          },
        },
        responses: { "204": { description: "ok" } },
      },
      get: {
        operationId: "getPoster",
        responses: { "200": { description: "ok", content: { "image/png": {} } } },
      },
    },
  },
};

/** A museum on loopback: it serves its own document and stores its events. */
export async function startMuseum(): Promise<RecordingServer> {
  const events = new Map<number, Event>();
  const posters = new Map<number, Buffer>();
  let last = 0;
  const server = await RecordingServer.start();
  server.answer = (recorded, response) => {
    const json = (status: number, value: unknown, type = "application/json"): void => {
      response.writeHead(status, { "content-type": type }).end(JSON.stringify(value));
    };
    const { method, path } = recorded;
    if (path === "/openapi.json") return json(200, museumDocument);
    if (path === "/api/events" && method === "GET")
      return json(200, matching(recorded, [...events.values()]));
    if (path === "/api/events" && method === "POST") {
      const created = { ...(JSON.parse(recorded.body.toString()) as Event), id: ++last };
      events.set(last, created);
      return json(201, created);
    }
    const [, key, poster] = /^\/api\/events\/(\d+)(\/poster)?$/.exec(path) ?? [];
    const found = events.get(Number(key));
    if (found === undefined)
      return json(404, { title: "no such event" }, "application/problem+json");
    if (poster !== undefined && method === "PUT") {
      const start = recorded.body.indexOf("\r\n\r\n") + 4;
      posters.set(found.id, recorded.body.subarray(start, recorded.body.lastIndexOf("\r\n--")));
      return void response.writeHead(204).end();
    }
    if (poster !== undefined)
      return void response
        .writeHead(200, { "content-type": "image/png" })
        .end(posters.get(found.id));
    if (method === "GET") return json(200, found);
    events.delete(found.id);
    return void response.writeHead(204).end();
  };
  return server;
}

function matching({ query }: Recorded, events: readonly Event[]): Event[] {
  const params = new URLSearchParams(query);
  const from = params.get("from") ?? "";
  const ids = params.get("ids")?.split(",").map(Number);
  return events.filter((one) => one.date >= from && (ids === undefined || ids.includes(one.id)));
}
