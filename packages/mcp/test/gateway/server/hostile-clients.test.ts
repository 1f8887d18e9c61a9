import { ToolRegistry, ToolExecutor, type JsonObject, type PolicyInput } from "@toolweave/core";
import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { serveMcp, type McpProvider } from "../../../src/gateway/index.ts";
import { openClient, echo, post, serving } from "../../support/open-gateway.ts";

/** A client of the older protocol over standard input and output, message by message. */
async function rawClient(registry: ToolRegistry): Promise<{
  readonly received: JsonObject[];
  send(message: JsonObject): void;
}> {
  const gateway = serveMcp(registry, new ToolExecutor({ registry, policy: "autonomous" }));
  const [input, output] = [new PassThrough(), new PassThrough()];
  gateway.stdio({ input, output });
  onTestFinished(() => gateway.close({ graceMs: 0 }));
  const received: JsonObject[] = [];
  createInterface({ input: output }).on("line", (line) => {
    received.push(JSON.parse(line) as JsonObject);
  });
  const send = (message: JsonObject): void => {
    input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  const clientInfo = { name: "raw", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  send({ id: 0, method: "initialize", params });
  await vi.waitFor(() => expect(received).toHaveLength(1), 60_000);
  return { received, send };
}

describe("a hostile client", () => {
  it("that sends initialized a thousand times is notified of a change once", async () => {
    const registry = new ToolRegistry([echo("a")]);
    const { received, send } = await rawClient(registry);
    for (let index = 0; index < 1_000; index++) send({ method: "notifications/initialized" });
    send({ id: 1, method: "ping" });
    await vi.waitFor(() => expect(received).toHaveLength(2), 60_000);
    registry.add(echo("b"));
    await vi.waitFor(() => expect(received.length).toBeGreaterThan(2), 60_000);
    send({ id: 2, method: "ping" });
    await vi.waitFor(() => expect(received.at(-1)).toMatchObject({ id: 2 }), 60_000);
    expect(received.slice(2, -1)).toEqual([
      { jsonrpc: "2.0", method: "notifications/tools/list_changed", params: {} },
    ]);
  });

  it("cannot exceed the session limit by starting all at once", async () => {
    const { gateway } = await serving({ gateway: { limits: { sessions: 3 } } });
    const send = (message: object, sessionId?: string): Promise<Response> =>
      gateway.fetch(
        new Request("http://127.0.0.1/mcp", {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            ...(sessionId === undefined ? {} : { "mcp-session-id": sessionId }),
          },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
        }),
      );
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "raw", version: "1" },
    };
    const begin = (): Promise<Response> => send({ method: "initialize", params });
    const begun = await Promise.all(Array.from({ length: 20 }, begin));
    const ids = begun.flatMap(({ headers }) => headers.get("mcp-session-id") ?? []);
    const received = await Promise.all(ids.map((id) => send({ method: "ping" }, id)));
    expect(received.filter(({ status }) => status === 200)).toHaveLength(3);
  });

  it("cannot read the host's data in the state of a waiting call", async () => {
    const ask: PolicyInput = { rules: [{ effect: "ask", tools: "*" }] };
    const { url } = await serving({
      tools: [echo("say")],
      executor: { policy: ask },
      gateway: { callMetadata: () => ({ host: { config: "/home/ada/toolweave.json" } }) },
    });
    const { result } = await post(
      url,
      "tools/call",
      { name: "say", arguments: { say: "a" } },
      { elicitation: { form: {} } },
    );
    const state = String(result?.["requestState"]);
    expect(state.length).toBeGreaterThan(100);
    const readable = state.split(".").map((part) => Buffer.from(part, "base64url").toString());
    expect([state, ...readable].join("\n")).not.toMatch(/toolweave\.json|"interruption"/);
  });
});

describe("a hostile provider", () => {
  it("does not break the list with a URI that is not a string", async () => {
    const odd = Array.from({ length: 600 }, (_, index) => ({
      uri: `odd://${index}\uD800`,
      name: "odd",
    }));
    const provider: McpProvider = {
      id: "odd",
      resources: { list: () => odd, templates: () => [], read: () => ({ contents: [] }) },
      onChange: () => () => {},
    };
    const { url } = await serving({ gateway: { providers: [provider] } });
    const client = await openClient(url, "modern");
    expect((await client.listResources()).resources).toHaveLength(600);
  });

  it("cannot fill the memory with duplicate URIs", async () => {
    let asked = 0;
    const list = (): readonly JsonObject[] => {
      asked += 1;
      const uri = (index: number): string => `odd://${asked}/${index % 800}/${"x".repeat(2_000)}`;
      return Array.from({ length: 1_600 }, (_, index) => ({ uri: uri(index), name: "odd" }));
    };
    const provider: McpProvider = {
      id: "odd",
      resources: { list, templates: () => [], read: () => ({ contents: [] }) },
      onChange: () => () => {},
    };
    const { url, gateway } = await serving({ gateway: { providers: [provider] } });
    for (let time = 0; time < 3; time++) await post(url, "resources/list", {});
    expect(gateway.problems).toHaveLength(1_000);
    expect(JSON.stringify(gateway.problems).length).toBeLessThan(2_000_000);
  });
});
