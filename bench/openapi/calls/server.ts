import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { answer } from "./tasks.ts";

// The called API, in a child process. Sends its origin, and on request the number of received
// requests.
let good = 0;
let bad = 0;
const tail = JSON.stringify(answer).slice(1);

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (text: string) => (body += text));
  request.on("end", () => {
    const id = idIn(request.method, request.url ?? "", body);
    if (id === undefined) bad++;
    else good++;
    const json = `{"id":${id ?? 0},${tail}`;
    response.writeHead(id === undefined ? 400 : 200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(json),
    });
    response.end(json);
  });
});
server.keepAliveTimeout = 120_000;
server.listen(0, "127.0.0.1");
await once(server, "listening");
process.send?.({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
process.on("message", () => {
  process.send?.({ good, bad });
  good = bad = 0;
});
process.on("disconnect", () => process.exit());

/** In any order, and with either encoding of a space. */
function idIn(method: string | undefined, url: string, body: string): string | undefined {
  if (method === "POST") {
    if (url !== "/items") return undefined;
    const { id, name, price } = JSON.parse(body) as Record<string, unknown>;
    return name === "Ant colony" && price === 12.5 ? String(id) : undefined;
  }
  const [, id, query] = /^\/items\/(\d+)\?(.*)$/.exec(url) ?? [];
  const pairs = query?.split("&");
  const isRight =
    pairs?.length === 2 &&
    pairs.includes("limit=20") &&
    pairs.some((pair) => pair === "view=short%20list" || pair === "view=short+list");
  return isRight ? id : undefined;
}
