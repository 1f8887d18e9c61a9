import { ToolExecutor, ToolRegistry, type JsonObject } from "@toolweave/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { mcpSource } from "../../../src/index.ts";
import { forwardToClient, listenHttp, serveMcp } from "../../../src/gateway/index.ts";
import { pressServer } from "../../support/requesting-server-process.ts";
import { openClient, eras, readText, type Era, type Says } from "../../support/open-gateway.ts";

/** A press behind a gateway. */
async function pressGateway(era: Era, forwards: boolean): Promise<string> {
  const source = mcpSource(pressServer(era, forwards ? forwardToClient : {}));
  onTestFinished(() => source.close());
  await source.ready;
  const registry = new ToolRegistry([source]);
  const executor = new ToolExecutor({ registry, policy: "autonomous" });
  const gateway = serveMcp(registry, executor);
  const listener = await listenHttp(gateway);
  onTestFinished(async () => {
    await Promise.all([gateway.close({ graceMs: 0 }), listener.close(0)]);
  });
  return listener.url;
}

const fills: Says = () => ({ action: "accept", content: { name: "Ann", copies: 2 } });

describe.each(eras)("a server's questions reach the user of a %s client,", (era) => {
  it.each([
    ["with handlers that ask the client", true],
    ["as a call that waits", false],
  ])("from a server of the newer protocol, %s", async (_how, forwards) => {
    const asked: JsonObject[] = [];
    const client = await openClient(await pressGateway("modern", forwards), era, {
      says: (params) => {
        asked.push(params);
        return fills(params);
      },
    });
    const result = await client.callTool({ name: "print", arguments: {} });
    expect(JSON.parse(readText(result))).toMatchObject({
      inputResponses: { look: { action: "accept", content: { name: "Ann", copies: 2 } } },
      state: "begun",
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.["message"]).toBe("The MCP server press asks: How is it to look?");
  });

  it("from a server of the older protocol", async () => {
    const client = await openClient(await pressGateway("legacy", true), era, { says: fills });
    const result = await client.callTool({ name: "ask", arguments: { what: "elicit" } });
    expect(readText(result)).toContain("Ann");
  });
});

describe.each(eras)("further requests of a server, for a %s client,", (era) => {
  it("send the user to a page", async () => {
    const pages: unknown[] = [];
    const client = await openClient(await pressGateway("legacy", false), era, {
      capabilities: { elicitation: { form: {}, url: {} } },
      says: ({ mode, url }) => {
        pages.push([mode, url]);
        return { action: "accept" };
      },
    });
    const result = await client.callTool({ name: "sign", arguments: {} });
    expect(readText(result)).toBe('"signed"');
    expect(pages).toEqual([["url", "https://press.example/contract?id=7"]]);
  });

  it("end the call if the user declines the page", async () => {
    const client = await openClient(await pressGateway("legacy", false), era, {
      capabilities: { elicitation: { form: {}, url: {} } },
      says: () => ({ action: "decline" }),
    });
    const result = await client.callTool({ name: "sign", arguments: {} });
    expect(result.isError).toBe(true);
  });
});

it("a server's log reaches the client of the call, from the level that the client has set", async () => {
  const url = await pressGateway("legacy", true);
  const [caring, other] = [await openClient(url, "legacy"), await openClient(url, "legacy")];
  const received: unknown[] = [];
  for (const [name, client] of Object.entries({ caring, other })) {
    client.setNotificationHandler("notifications/message", ({ params }) => {
      received.push([name, params]);
    });
  }
  await caring.setLoggingLevel("info");
  await other.setLoggingLevel("debug");
  await caring.callTool({ name: "deliver", arguments: {} });
  await vi.waitFor(() => expect(received).not.toEqual([]), 60_000);
  expect(received).toEqual([
    ["caring", { level: "warning", logger: "stock", data: { paper: "low" } }],
  ]);
});
