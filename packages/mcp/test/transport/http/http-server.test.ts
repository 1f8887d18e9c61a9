import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { httpLibrary, type HttpLibrary } from "../../support/http-library.ts";
import { executorOver, opened, findTool } from "../../support/open-source.ts";

let library: HttpLibrary;
beforeAll(async () => {
  library = await httpLibrary();
});
afterEach(() => {
  library.refuseWith = undefined;
});
afterAll(() => library.close());

describe("a server over HTTP", () => {
  it("is called with the given headers", async () => {
    const source = opened({ name: "library", url: library.url, headers: { "x-shelf": "attic" } });
    await source.ready;
    const executor = executorOver(source);
    expect(
      await executor.execute({ id: "1", name: "library__get_book", arguments: { id: 1 } }),
    ).toMatchObject({ result: { value: { id: 1, title: "Emma" } } });
    expect(library.headers.every((headers) => headers["x-shelf"] === "attic")).toBe(true);
  });

  it.each([
    [401, "auth_required"],
    [403, "auth_required"],
    [429, "rate_limited"],
    [503, "unavailable"],
  ])("that answers %i fails with %s", async (status, code) => {
    const source = opened({ name: "library", url: library.url });
    await source.ready;
    library.refuseWith = status;
    expect(
      await executorOver(source).execute({
        id: "1",
        name: "library__get_book",
        arguments: { id: 1 },
      }),
    ).toMatchObject({ status: "failed", error: { code } });
    await expect(opened({ name: "again", url: library.url }).ready).rejects.toMatchObject({ code });
  });

  it("that does not exist is unavailable, under the name that the host gave it", async () => {
    const gone = await httpLibrary();
    await gone.close();
    await expect(opened({ name: "gone", url: gone.url }).ready).rejects.toMatchObject({
      code: "unavailable",
      message: `The MCP server gone cannot be connected to: ${new URL(gone.url).origin} could not be reached: it refused the connection.`,
      retryable: true,
    });
  });

  it("that has sessions loses one when the source closes", async () => {
    const source = opened({ name: "library", url: `${library.url}/sessions` });
    await source.ready;
    expect(library.sessions.open).toBe(1);
    const received = vi.fn<() => void>();
    source.onChange(received);
    const executor = executorOver(source);
    // The stream for notifications of changes may not be open yet.
    await vi.waitFor(async () => {
      await executor.execute({ id: "1", name: "library__reorganise", arguments: {} });
      expect(received).toHaveBeenCalled();
    });
    await source.close();
    expect(library.sessions.open).toBe(0);
  });

  it("can be one that the host has connected to, and stays connected", async () => {
    const client = new Client(
      { name: "host", version: "1" },
      { versionNegotiation: { mode: "auto" } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(library.url)));
    const source = opened({ name: "library", client, prefix: false });
    await source.ready;
    const received = vi.fn<() => void>();
    source.onChange(received);
    await findTool(source, "reorganise").invoke({}, {
      signal: new AbortController().signal,
      progress() {},
      idempotencyKey: async () => "k",
    } as never);
    await vi.waitFor(() => expect(received).toHaveBeenCalledTimes(1), 60_000);
    await source.close();
    expect((await client.listTools()).tools).toContainEqual(
      expect.objectContaining({ name: "get_book" }),
    );
    await client.close();
  });
});
