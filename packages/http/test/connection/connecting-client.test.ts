import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { httpClient } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { serveRaw, type TestServer } from "../support/servers.ts";

/** More than the number of connections of a pool. */
const many = 129;

/** A server that accepts connections and answers no handshake, and its `https:` URL. */
async function silent(): Promise<
  TestServer & { readonly secure: string; arrived(): Promise<void> }
> {
  const greeted: Socket[] = [];
  let arrived = (): void => {};
  const server = await serveRaw((socket) => {
    greeted.push(socket);
    arrived();
  });
  return {
    ...server,
    secure: server.origin.replace("http:", "https:"),
    // The beginning of a handshake, so the connection exists.
    arrived: () =>
      new Promise((resolve) => (greeted.length > 0 ? resolve() : (arrived = () => resolve()))),
  };
}

describe("a request that is aborted during the TLS handshake", () => {
  it.each(["its signal", "its deadline", "the client's end"])(
    "by %s closes its socket at once",
    async (by) => {
      const server = await silent();
      const abort = new AbortController();
      const timeoutMs = by === "its deadline" ? 1_000 : 0;
      const client = httpClient({ givenOrigins: [server.secure], timeoutMs });
      const pending = failure(
        client.request({ method: "POST", url: server.secure, signal: abort.signal }),
      );
      await server.arrived();
      const [socket] = server.sockets as [Socket];
      const closed = once(socket, "close");
      if (by === "its signal") abort.abort();
      if (by === "the client's end") await client.close();
      const error = await pending;
      expect(error.code).toBe(by === "its deadline" ? "timeout" : "cancelled");
      // Nothing was sent.
      expect(error.message).not.toContain("carried out");
      await closed;
    },
  );

  it("releases its slot in the pool for the next one", async () => {
    const server = await silent();
    const abort = new AbortController();
    const client = httpClient({ givenOrigins: [server.secure], timeoutMs: 0 });
    const { signal } = abort;
    const first = Array.from({ length: many }, () =>
      failure(client.request({ method: "GET", url: server.secure, signal })),
    );
    await server.arrived();
    abort.abort();
    await Promise.all(first);
    const before = server.sockets.length;
    expect(before).toBeLessThan(many);
    const last = new AbortController();
    const next = failure(
      client.request({ method: "GET", url: server.secure, signal: last.signal }),
    );
    // It does not wait for those: undici would let them time out first.
    while (server.sockets.length <= before) await new Promise((done) => setImmediate(done));
    last.abort();
    await next;
    // The waiting requests have received no slot in the end.
    expect(server.sockets.length).toBe(before + 1);
  });
});
