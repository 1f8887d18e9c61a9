import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { petDocument } from "./pet-document.ts";

/** A request as it was sent. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A running shop. */
export interface PetShop {
  readonly url: string;
  readonly documentUrl: string;
  /** Every request but those for documents. */
  readonly requests: readonly SeenRequest[];
  /** Resolves when a request to a path has arrived. */
  readonly asked: (path: string) => Promise<void>;
  /** Resolves when a client has disconnected before it received an answer. */
  readonly hungUp: Promise<void>;
  close(): Promise<void>;
}

/** Opens a pet shop on loopback. `/never` and `/never.json` do not answer. */
export async function openPetShop(): Promise<PetShop> {
  const requests: SeenRequest[] = [];
  const arrivals = new Set<string>();
  let onArrival = (): void => {};
  let hangUp = (): void => {};
  const hungUp = new Promise<void>((resolve) => (hangUp = resolve));
  const server: Server = createServer((request, response) => {
    response.once("close", () => response.writableFinished || hangUp());
    void serve(request, response).then((seen) => {
      if (!seen.url.endsWith(".json")) requests.push(seen);
      arrivals.add(seen.url);
      onArrival();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    documentUrl: `${url}/openapi.json`,
    requests,
    asked: (path) =>
      new Promise((resolve) => {
        onArrival = () => arrivals.has(path) && resolve();
        onArrival();
      }),
    hungUp,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<SeenRequest> {
  const { method = "GET", url = "/", headers } = request;
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString("utf8");
  answer(method, url, headers, body, response);
  return { method, url, headers, body };
}

function answer(
  method: string,
  url: string,
  headers: IncomingMessage["headers"],
  body: string,
  response: ServerResponse,
): void {
  const json = (status: number, value: unknown): void =>
    void response
      .writeHead(status, { "content-type": "application/json" })
      .end(JSON.stringify(value));
  const [path = ""] = url.split("?");
  if (path.startsWith("/never")) return;
  if (path === "/openapi.json") json(200, petDocument);
  else if (path === "/secret.json")
    json(headers["authorization"] === undefined ? 401 : 200, petDocument);
  else if (path === "/pets/404") json(404, { error: "no such pet" });
  else if (path === "/orders") json(headers["x-key"] === undefined ? 401 : 200, []);
  else if (path === "/poem") {
    response
      .writeHead(200, { "content-type": "text/plain; charset=utf-8" })
      .end("roses \u001b[31mred\u001b[0m\nviolets\u202e blue");
  } else if (path === "/photo") {
    response.writeHead(200, { "content-type": "image/png" }).end(Buffer.from([137, 80, 78, 71]));
  } else if (method === "DELETE") response.writeHead(204).end();
  else json(method === "POST" ? 201 : 200, body === "" ? { path: url } : JSON.parse(body));
}
