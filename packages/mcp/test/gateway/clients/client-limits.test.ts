import { defineTool, type Tool } from "@toolweave/core";
import { describe, expect, it, vi } from "vitest";
import {
  openClient,
  echo,
  eras,
  opening,
  post,
  serving,
  readText,
} from "../../support/open-gateway.ts";

/** A tool that runs until it is released, or is stopped. */
function held(): { readonly tool: Tool; readonly running: () => number; release(): void } {
  let running = 0;
  const gate = opening();
  const tool = defineTool({
    name: "hold",
    description: "Waits.",
    input: { type: "object", properties: {} },
    async execute(_args, { signal }) {
      running += 1;
      const stopped = new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
      await Promise.race([gate.opened, stopped]);
      return "done";
    },
  });
  return { tool, running: () => running, release: () => gate.open() };
}

const hold = { name: "hold", arguments: {} };

describe.each(eras)("a %s client", (era) => {
  it("that exceeds its limit gets an error, and does not block others", async () => {
    const { tool, running, release } = held();
    const served = await serving({
      tools: [tool, echo("say")],
      gateway: { limits: { concurrentCalls: 5 } },
    });
    const flooding = await openClient(await served.as({ id: "ann" }), era);
    const other = await openClient(await served.as({ id: "bob" }), era);
    let answered = 0;
    const calls = Array.from({ length: 20 }, async () => {
      const result = await flooding.callTool(hold);
      answered += 1;
      return result;
    });
    await vi.waitFor(() => expect([running(), answered]).toEqual([5, 15]), 60_000);
    const said = await other.callTool({ name: "say", arguments: { say: "still here" } });
    expect(readText(said)).toBe("still here");
    release();
    const results = await Promise.all(calls);
    expect(results.filter(({ isError }) => isError !== true)).toHaveLength(5);
    const refused = results.find(({ isError }) => isError === true);
    expect(readText(refused ?? {})).toContain("limit of 5 concurrent calls");
  });

  it("is limited in its calls per minute", async () => {
    const { url } = await serving({
      tools: [echo("say")],
      gateway: { limits: { callsPerMinute: 2 } },
    });
    const client = await openClient(url, era);
    const results = [];
    for (const say of ["a", "b", "c"]) {
      results.push(await client.callTool({ name: "say", arguments: { say } }));
    }
    expect(results.map(({ isError }) => isError === true)).toEqual([false, false, true]);
    expect(readText(results[2] ?? {})).toMatch(/limit of 2 calls per minute.*in \d\d seconds/);
  });

  it("gets a large output as a preview, and reads the rest as its own resource", async () => {
    const text = "all of it ".repeat(20_000);
    const served = await serving({ tools: [echo("much", { execute: () => text })] });
    const client = await openClient(await served.as({ id: "ann" }), era);
    const result = await client.callTool({ name: "much", arguments: {} });
    const link = result.content.find((block) => block.type === "resource_link");
    expect(link).toMatchObject({ uri: expect.stringMatching(/^artifact:art_/) as string });
    expect(JSON.stringify(result.content).length).toBeLessThan(10_000);
    const uri = (link as { uri: string }).uri;
    expect(await client.readResource({ uri })).toMatchObject({
      contents: [{ uri, mimeType: expect.stringContaining("text/plain") as string, text }],
    });
    const stranger = await openClient(await served.as({ id: "bob" }), era);
    await expect(stranger.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
  });

  it("has its calls finished and new ones rejected when the gateway closes", async () => {
    const { tool, running, release } = held();
    const { gateway, url } = await serving({ tools: [tool] });
    const client = await openClient(url, era);
    const call = client.callTool(hold);
    await vi.waitFor(() => expect(running()).toBe(1), 60_000);
    const closed = gateway.close({ graceMs: 60_000 });
    const late = await client.callTool(hold).catch((error: unknown) => error);
    expect(late).toBeInstanceOf(Error);
    release();
    expect(readText(await call)).toBe("done");
    await closed;
  });

  it("has a call cancelled that does not end in time when the gateway closes", async () => {
    const { tool, running } = held();
    const { gateway, url } = await serving({ tools: [tool] });
    const client = await openClient(url, era);
    const call = client.callTool(hold).catch((error: unknown) => error);
    await vi.waitFor(() => expect(running()).toBe(1), 60_000);
    await gateway.close({ graceMs: 10 });
    await client.close();
    await call;
  });
});

describe("a session of the older protocol", () => {
  it("MC30: belongs only to the caller that started it", async () => {
    const served = await serving({ tools: [echo("say")] });
    const [ann, bob] = [await served.as({ id: "ann" }), await served.as({ id: "bob" })];
    const began = await fetch(ann, initialize);
    const id = began.headers.get("mcp-session-id") ?? "";
    await began.body?.cancel();
    const status = async (url: string, session: string): Promise<number> => {
      const headers = { ...initialize.headers, "mcp-session-id": session };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" });
      const response = await fetch(url, { method: "POST", headers, body });
      await response.body?.cancel();
      return response.status;
    };
    expect(await status(bob, id)).toBe(404);
    expect(await status(served.url, id)).toBe(404);
    expect(await status(ann, crypto.randomUUID())).toBe(404);
    expect(await status(ann, id)).toBe(200);
  });

  it("is replaced at the limit if its client has disconnected", async () => {
    const { url } = await serving({
      tools: [echo("say")],
      gateway: { limits: { sessions: 2 } },
    });
    const first = await openClient(url, "legacy");
    const second = await openClient(url, "legacy");
    await expect(openClient(url, "legacy")).rejects.toThrow(/limit of sessions.*limits\.sessions/);
    await first.close();
    let third: Awaited<ReturnType<typeof openClient>> | undefined;
    await vi.waitFor(async () => (third = await openClient(url, "legacy")), 60_000);
    for (const client of [second, third]) {
      expect((await client?.listTools())?.tools).toHaveLength(2);
    }
  });

  it("is rejected at the limit if none of the others is idle", async () => {
    const { tool, running } = held();
    const { url } = await serving({ tools: [tool], gateway: { limits: { sessions: 1 } } });
    const client = await openClient(url, "legacy");
    void client.callTool(hold).catch(() => undefined);
    await vi.waitFor(() => expect(running()).toBe(1), 60_000);
    await expect(openClient(url, "legacy")).rejects.toThrow(/limit of sessions/);
  });
});

const initialize = {
  method: "POST",
  headers: {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "host", version: "1" },
    },
  }),
};

describe("huge arguments", () => {
  it("are rejected before they are parsed, and the gateway continues", async () => {
    const { url } = await serving({ tools: [echo("say")] });
    const sent = { name: "say", arguments: { say: "x".repeat(5 * 1024 * 1024) } };
    await expect(post(url, "tools/call", sent)).resolves.toMatchObject({ error: {} });
    const small = await post(url, "tools/call", { name: "say", arguments: { say: "x" } });
    expect(readText(small.result as object)).toBe("x");
  });
});

describe("arguments that are mirrored in headers", () => {
  it("must have the same value in both", async () => {
    const tool = defineTool({
      name: "region",
      description: "Where?",
      input: {
        type: "object",
        properties: { region: { type: "string", "x-mcp-header": "Region" } },
      },
      execute: ({ region }) => String(region),
    });
    const { url } = await serving({ tools: [tool] });
    const sent = { name: "region", arguments: { region: "north" } };
    expect((await post(url, "tools/call", sent)).error).toMatchObject({ code: -32020 });
    const client = await openClient(url, "modern");
    await client.listTools();
    expect(readText(await client.callTool(sent))).toBe("north");
  });
});
