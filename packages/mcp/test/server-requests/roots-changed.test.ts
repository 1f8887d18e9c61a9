import { describe, expect, it, vi } from "vitest";
import type { McpServer } from "../../src/index.ts";
import { greets, rawHttp } from "../support/raw-http.ts";
import { opened } from "../support/open-source.ts";

/** The messages that a server receives: at the connection, and later. */
async function heardWith(roots: McpServer["roots"]) {
  const declared: unknown[] = [];
  const methods: (string | undefined)[] = [];
  const url = await rawHttp((exchange) => {
    const { message, request, response, json } = exchange;
    if (request.method === "POST") methods.push(message.method);
    if (message.method === "initialize") {
      const { capabilities } = message.params as { capabilities: { roots?: unknown } };
      declared.push(capabilities.roots);
    }
    if (message.method === "notifications/roots/list_changed") {
      return void response.writeHead(202).end();
    }
    if (!greets(exchange)) json({ result: { tools: [] } });
  });
  const source = opened({ name: "raw", url, ...(roots === undefined ? {} : { roots }) });
  await source.ready;
  return { source, declared, methods };
}

describe("a server of the older protocol", () => {
  it("is notified when the roots have changed", async () => {
    const { source, declared, methods } = await heardWith(() => [{ uri: "/books" }]);
    expect(declared).toEqual([{ listChanged: true }]);
    source.rootsChanged();
    await vi.waitFor(() => expect(methods).toContain("notifications/roots/list_changed"), 60_000);
  });

  it("is not notified if they cannot change", async () => {
    const { source, declared, methods } = await heardWith([{ uri: "/books" }]);
    expect(declared).toEqual([{}]);
    source.rootsChanged();
    await source.refresh();
    expect(methods).not.toContain("notifications/roots/list_changed");
  });
});
