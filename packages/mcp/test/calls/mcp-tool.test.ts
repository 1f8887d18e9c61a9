import type { ToolOutcome, ToolSource } from "@toolweave/core";
import type { ToolProgress } from "@toolweave/core/adapter";
import { describe, expect, it, vi } from "vitest";
import { cover, silence } from "../support/library.ts";
import { executorOver, oddServer, opened, findTool } from "../support/open-source.ts";
import { libraryServer } from "../support/library-options.ts";

async function call(source: ToolSource, name: string, args = {}): Promise<ToolOutcome> {
  await source.ready;
  return executorOver(source).execute({ id: "1", name, arguments: args });
}

const context = {
  signal: new AbortController().signal,
  progress() {},
  idempotencyKey: async () => "k",
} as never;

describe("a call", () => {
  it("returns the server's blocks unchanged", async () => {
    const source = opened(libraryServer);
    await source.ready;
    expect(await findTool(source, "library__show_cover").invoke({}, context)).toMatchObject({
      content: [
        { type: "text", text: "The cover", annotations: { audience: ["user"], priority: 0.5 } },
        { type: "image", data: cover, mimeType: "image/png", _meta: { "a/b": 1 } },
        { type: "audio", data: silence, mimeType: "audio/wav" },
        { type: "resource_link", uri: "book://1", name: "Emma", mimeType: "text/plain" },
        { type: "resource", resource: { uri: "book://1/text", text: "Emma Woodhouse" } },
      ],
      details: { _meta: { shelf: "attic" } },
    });
  });

  it("returns an unknown block as text, and structured content as the value", async () => {
    expect(await call(opened(oddServer("")), "widget")).toMatchObject({
      status: "completed",
      result: {
        content: [
          { type: "text", text: '{"type":"widget","colour":"red"}' },
          { text: '{"a":[1]}' },
        ],
        value: { a: [1] },
      },
    });
  });

  it("that the server answers with an error fails", async () => {
    expect(await call(opened(libraryServer), "library__get_book", { id: 7 })).toMatchObject({
      status: "completed",
      result: { isError: true, content: [{ text: "There is no book 7." }] },
    });
  });

  it("that the server rejects fails with its message", async () => {
    expect(await call(opened(oddServer("")), "flood")).toMatchObject({
      status: "failed",
      error: { code: "invalid_arguments", message: "There is no such thing." },
    });
  });

  it("reports progress", async () => {
    const source = opened(libraryServer);
    await source.ready;
    const progress = vi.fn<(progress: ToolProgress) => void>();
    await findTool(source, "library__bind_book").invoke({ id: 1 }, {
      signal: new AbortController().signal,
      progress,
    } as never);
    expect(progress.mock.calls.flat()).toEqual(
      [1, 2, 3].map((done) => ({ done, total: 3, message: `Step ${done}` })),
    );
  });

  it("ends at once when it is cancelled, and the server is notified", async () => {
    const source = opened(libraryServer);
    await source.ready;
    const stop = new AbortController();
    const pending = executorOver(source).execute(
      { id: "1", name: "library__take_inventory", arguments: {} },
      { signal: stop.signal },
    );
    setImmediate(() => stop.abort());
    expect(await pending).toMatchObject({ status: "failed", error: { code: "cancelled" } });
    // It still answers.
    expect(await call(source, "library__get_book", { id: 1 })).toMatchObject({
      result: { value: { id: 1, title: "Emma" } },
    });
  });

  it("is unavailable when the server exits, and the next one has a new server", async () => {
    const source = opened(libraryServer);
    const ended = await call(source, "library__leave");
    const message =
      "The connection to the MCP server library is closed. A call in progress may have run.";
    expect(ended).toMatchObject({ status: "failed", error: { code: "unavailable", message } });
    expect(await call(source, "library__get_book", { id: 1 })).toMatchObject({
      result: { value: { id: 1, title: "Emma" } },
    });
  });

  it("ends when the source is closed", async () => {
    const source = opened(libraryServer);
    await source.ready;
    const pending = call(source, "library__take_inventory");
    const tool = findTool(source, "library__get_book");
    setImmediate(() => void source.close());
    expect(await pending).toMatchObject({
      status: "failed",
      error: { code: "unavailable", message: "The source library is closed.", retryable: false },
    });
    await expect(tool.invoke({ id: 1 }, context)).rejects.toMatchObject({ code: "unavailable" });
  });
});
