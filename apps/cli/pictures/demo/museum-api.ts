import { once } from "node:events";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { museumDocument } from "../../../../examples/museum/src/museum-document.ts";
import { startMuseum } from "../../../../examples/museum/src/service.ts";

/** The museum of the examples, as slow as a service on the network. */
export interface MuseumApi {
  readonly url: string;
  /** Serves the document of today in place of the one that was locked. */
  publishNewDocument(): void;
  close(): Promise<void>;
}

/** The port in the pictures, if it is free. */
const preferredPort = 4100;
/** Milliseconds of a request, by the length of its path: the same in each run. */
const latency = (path: string): number => 60 + ((path.length * 37) % 190);

/** Starts the museum behind a proxy that delays its answers. */
export async function startMuseumApi(): Promise<MuseumApi> {
  const museum = await startMuseum();
  let document: unknown = lockedDocument();
  const server = createServer((incoming, outgoing) => {
    if (incoming.url === "/openapi.json") {
      outgoing.setHeader("content-type", "application/json").end(JSON.stringify(document));
      return;
    }
    void forward(museum.url, incoming, outgoing);
  });
  server.listen(preferredPort, "127.0.0.1");
  await once(server, "listening").catch(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publishNewDocument() {
      document = newDocument();
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      await museum.close();
    },
  };
}

async function forward(
  target: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { method, url = "/", headers } = incoming;
  await wait(latency(url));
  const forwarded = request(new URL(url, target), { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  forwarded.on("error", () => outgoing.destroy());
  outgoing.on("close", () => forwarded.destroy());
  incoming.pipe(forwarded);
}

/** A part of a document. */
type Json = Record<string, unknown>;

/** What the document was when the tools were locked. */
function lockedDocument(): Json {
  const document = structuredClone(museumDocument) as Json;
  setAt(document, ["paths", "/tickets", "post", "description"], "Buys tickets for one visitor.");
  setAt(document, ["paths", "/events/{eventId}/poster"], undefined);
  setAt(document, ["components", "schemas", "NewEvent", "properties", "room"], undefined);
  return document;
}

/** The document of today, with an operation whose body is not defined anywhere. */
function newDocument(): Json {
  const document = structuredClone(museumDocument) as Json;
  const schema = { $ref: "#/components/schemas/Basket" };
  setAt(document, ["paths", "/shop/orders"], {
    post: {
      operationId: "orderFromShop",
      tags: ["visit"],
      summary: "Order from the museum shop",
      requestBody: { required: true, content: { "application/json": { schema } } },
      responses: { "201": { description: "The order." } },
    },
  });
  return document;
}

/** Replaces a member of a document, or removes it. */
function setAt(document: Json, path: readonly string[], value: unknown): void {
  const parent = path.slice(0, -1).reduce((part, name) => part[name] as Json, document);
  parent[path.at(-1) ?? ""] = value;
}
