import type { JsonObject } from "@toolweave/core";
import type { McpProgress } from "../../src/transport/messages/mcp-connection.ts";
import { Client as NewClient, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport as NewStdio } from "@modelcontextprotocol/client/stdio";
import { Client as OldestClient } from "mcp-sdk-oldest/client/index.js";
import { StdioClientTransport as OldestStdio } from "mcp-sdk-oldest/client/stdio.js";
import { StreamableHTTPClientTransport as OldestHttp } from "mcp-sdk-oldest/client/streamableHttp.js";
import type { Transport as OldestTransport } from "mcp-sdk-oldest/shared/transport.js";
import { ToolListChangedNotificationSchema as OldestChange } from "mcp-sdk-oldest/types.js";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, expectTypeOf, it, onTestFinished, vi } from "vitest";
import type { McpClient } from "../../src/index.ts";
import { connected, rawServer, readText } from "../support/open-connection.ts";
import { fixtureHttp } from "../support/fixture-server-http.ts";
import { httpLibrary } from "../support/http-library.ts";
import { executorOver, opened } from "../support/open-source.ts";

const { command, args = [] } = rawServer();
const process = { command, args: [...args] };

/** Each line of the SDK, connected to the raw server, with the host's own handler for changes. */
const lines: readonly (readonly [string, (received: () => void) => Promise<HostClient>])[] = [
  [
    "1.20",
    async (received) => {
      const client = new OldestClient({ name: "host", version: "1" });
      client.setNotificationHandler(OldestChange, received);
      await client.connect(new OldestStdio(process));
      return client;
    },
  ],
  [
    "1.x",
    async (received) => {
      const client = new OldClient({ name: "host", version: "1" });
      client.setNotificationHandler(ToolListChangedNotificationSchema, received);
      await client.connect(new OldStdio(process));
      return client;
    },
  ],
  [
    "2.x",
    async (received) => {
      const client = new NewClient({ name: "host", version: "1" });
      client.setNotificationHandler("notifications/tools/list_changed", received);
      await client.connect(new NewStdio(process));
      return client;
    },
  ],
];

type HostClient = McpClient & { close(): Promise<void> };

describe.each(lines)("a client of the SDK %s that the host has connected", (_, connect) => {
  const hostClient = async (received: () => void = () => {}): Promise<HostClient> => {
    const client = await connect(received);
    onTestFinished(() => client.close());
    return client;
  };

  it("calls tools through the executor, and stays open when the source closes", async () => {
    const client = await hostClient();
    const source = opened({ name: "raw", client });
    await source.ready;
    const outcome = await executorOver(source).execute({
      id: "1",
      name: "raw__echo",
      arguments: { text: "through the host's client" },
    });
    expect(outcome).toMatchObject({
      status: "completed",
      result: { content: [{ text: "through the host's client" }] },
    });
    await source.close();
    const connection = await connected({ name: "raw", client });
    expect(await readText(connection, "echo", { text: "open" })).toBe("open");
  });

  it("still notifies the host of changes, also after the source was closed", async () => {
    const host = vi.fn<() => void>();
    const ours = vi.fn<(method: string, params: JsonObject) => void>();
    const client = await hostClient(host);
    const handlers = [client.transport?.onmessage, client.fallbackRequestHandler];
    const connection = await connected({ name: "raw", client }, { onNotification: ours });
    await readText(connection, "storm", { count: 1_000 });
    expect(host).toHaveBeenCalled();
    expect(ours).toHaveBeenCalledWith("notifications/tools/list_changed", {});
    await connection.close();
    expect([client.transport?.onmessage, client.fallbackRequestHandler]).toEqual(handlers);
    ours.mockClear();
    const again = await connected({ name: "again", client });
    await readText(again, "storm", { count: 1_000 });
    expect(ours).not.toHaveBeenCalled();
  });

  it("reports progress up to the response", async () => {
    const connection = await connected({ name: "raw", client: await hostClient() });
    const onProgress = vi.fn<(progress: McpProgress) => void>();
    const { signal } = new AbortController();
    await connection.request("tools/call", { name: "progress" }, { signal, onProgress });
    expect(onProgress.mock.calls.flat()).toMatchObject([{ progress: 1 }, { progress: 2 }]);
  });

  it("cancels, and ends the connection when the host closes it", async () => {
    const client = await hostClient();
    const connection = await connected({ name: "raw", client });
    const stop = new AbortController();
    const call = readText(connection, "stubborn", {}, stop.signal);
    await readText(connection, "echo", { text: "it has begun" });
    stop.abort();
    await expect(call).rejects.toThrow(/abort/i);
    expect(Number(await readText(connection, "cancelled"))).toBeGreaterThan(0);
    await client.close();
    expect(await connection.closed).toMatchObject({ message: "the client was closed" });
  });
});

/** Each line, over HTTP. */
const overHttp: readonly (readonly [string, (url: URL) => Promise<HostClient>])[] = [
  [
    "1.20",
    async (url) => {
      const client = new OldestClient({ name: "host", version: "1" });
      await client.connect(new OldestHttp(url) as OldestTransport);
      return client;
    },
  ],
  [
    "1.x",
    async (url) => {
      const client = new OldClient({ name: "host", version: "1" });
      await client.connect(new OldHttp(url) as Transport);
      return client;
    },
  ],
  [
    "2.x",
    async (url) => {
      const client = new NewClient({ name: "host", version: "1" });
      await client.connect(new StreamableHTTPClientTransport(url));
      return client;
    },
  ],
];

describe("a client whose server answers with tasks", () => {
  it.each(overHttp)("waits for those of the older protocol (%s)", async (_, connect) => {
    const http = await fixtureHttp({ era: "legacy" });
    onTestFinished(() => http.close());
    const client = await connect(new URL(http.url));
    onTestFinished(() => client.close());
    const source = opened({ name: "fixture", client, prefix: false });
    await source.ready;
    const executor = executorOver(source);
    const outcome = await executor.execute({ id: "1", name: "task_required", arguments: {} });
    const { taskId } = outcome.status === "completed" ? outcome.result : {};
    expect(await executor.tasks.result(String(taskId))).toMatchObject({
      status: "completed",
      result: { content: [{ text: "Done." }, { text: '{"steps":2}' }] },
    });
  });

  it("of the newer protocol, which it does not support, fails with an error that says so", async () => {
    const http = await fixtureHttp({ era: "modern" });
    onTestFinished(() => http.close());
    const client = new NewClient(
      { name: "host", version: "1" },
      {
        capabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } },
        versionNegotiation: { mode: "auto" },
      },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(http.url)));
    onTestFinished(() => client.close());
    const source = opened({ name: "fixture", client, prefix: false });
    await source.ready;
    const call = { id: "1", name: "task_required", arguments: {} };
    expect(await executorOver(source).execute(call)).toMatchObject({
      status: "failed",
      error: {
        code: "execution_failed",
        message: expect.stringMatching(/of the type "task", which .* command or url/),
      },
    });
  });
});

it("clients of all SDK versions are accepted", () => {
  expectTypeOf<OldestClient>().toExtend<McpClient>();
  expectTypeOf<OldClient>().toExtend<McpClient>();
  expectTypeOf<NewClient>().toExtend<McpClient>();
  expectTypeOf<{ readonly connect: () => void }>().not.toExtend<McpClient>();
});

describe("a client without a connection", () => {
  it("of the newer protocol receives changes", async () => {
    const library = await httpLibrary();
    onTestFinished(() => library.close());
    const client = new NewClient(
      { name: "host", version: "1" },
      { versionNegotiation: { mode: "auto" } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(library.url)));
    onTestFinished(() => client.close());
    const onNotification = vi.fn<(method: string, params: JsonObject) => void>();
    const connection = await connected({ name: "library", client }, { onNotification });
    expect(connection.era).toBe("modern");
    await readText(connection, "reorganise");
    await vi.waitFor(
      () =>
        expect(onNotification.mock.calls.map(([method]) => method)).toContain(
          "notifications/tools/list_changed",
        ),
      60_000,
    );
  });

  it("is refused", async () => {
    const client = new OldClient({ name: "host", version: "1" });
    await expect(connected({ name: "raw", client })).rejects.toThrow("is not connected");
  });
});
