import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { postgresStore } from "../src/index.ts";

/** A message of the protocol: its type, its length, and its body. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

test("a connection that the server ends as soon as it is open fails the operation, and not the process", async () => {
  const open = Buffer.concat([message("R", Buffer.alloc(4)), message("Z", Buffer.from("I"))]);
  const fields = "SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0";
  const end = message("E", Buffer.from(fields));
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => {});
    // In one packet: both messages are read before any promise is settled.
    socket.once("data", () => socket.end(Buffer.concat([open, end])));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const store = postgresStore({ connectionString: `postgres://ada@127.0.0.1:${port}/none` });
  onTestFinished(() => store.close());
  await expect(store.migrate()).rejects.toMatchObject({ code: "store_unavailable" });
  expect(connections).toBeGreaterThan(1);
});
