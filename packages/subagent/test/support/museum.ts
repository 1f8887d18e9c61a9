import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const json = { description: "ok", content: { "application/json": { schema: { type: "object" } } } };

/** A museum's API over HTTP, with its own document; and its requests. */
export async function museum(): Promise<{
  readonly url: string;
  readonly asked: string[];
  close(): Promise<void>;
}> {
  const asked: string[] = [];
  const document = {
    openapi: "3.1.0",
    info: { title: "Museum", version: "1" },
    paths: {
      "/events/{id}": {
        get: {
          operationId: "getEvent",
          summary: "One event.",
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
          responses: { 200: json },
        },
      },
    },
  };
  const server = createServer(({ method, url = "" }, response) => {
    const isDocument = url === "/openapi.json";
    if (!isDocument) asked.push(`${method} ${url}`);
    const found = isDocument ? document : { id: Number(url.split("/").at(-1)), name: "Ants" };
    response.setHeader("content-type", "application/json").end(JSON.stringify(found));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi.json`,
    asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
