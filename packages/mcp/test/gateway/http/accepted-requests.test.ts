import type { JsonObject } from "@toolweave/core";
import { describe, expect, it } from "vitest";
import { echo, serving } from "../../support/open-gateway.ts";

const initialize = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "host", version: "1" },
};

async function postTo(
  url: string,
  params: JsonObject,
  accept: string | undefined = "application/json, text/event-stream",
  session?: string,
): Promise<Response> {
  const headers = {
    "content-type": "application/json",
    ...(accept === "" ? {} : { accept }),
    ...(session === undefined ? {} : { "mcp-session-id": session }),
  };
  const method = session === undefined ? "initialize" : "tools/list";
  const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method, params });
  // Not `fetch`, which adds `accept`.
  const { request } = await import("node:http");
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers }, (incoming) => {
      const parts: Buffer[] = [];
      incoming.on("data", (part: Buffer) => parts.push(part));
      incoming.on("end", () =>
        resolve(
          new Response(Buffer.concat(parts), {
            status: incoming.statusCode ?? 0,
            headers: incoming.headers as Record<string, string>,
          }),
        ),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

describe("a request of a legacy client is accepted", () => {
  it.each([
    ["*/*"],
    [""],
    ["*/*;q=0.8"],
    ["application/*, text/*"],
    ["application/json, */*;q=0.1"],
    ["Application/JSON, Text/Event-Stream"],
  ])("with accept: %s", async (accept) => {
    const { url } = await serving({ tools: [echo("say")] });
    const started = await postTo(url, initialize, accept);
    expect(started.status).toBe(200);
    const session = started.headers.get("mcp-session-id") ?? "";
    const listed = await postTo(url, {}, accept, session);
    expect([listed.status, (await listed.text()).includes('"say"')]).toEqual([200, true]);
  });

  it.each(["application/json", "text/html", "*/*;q=0"])(
    "but not with accept: %s",
    async (accept) => {
      const { url } = await serving();
      expect((await postTo(url, initialize, accept)).status).toBe(406);
    },
  );
});

describe("initialize names the member that is missing", () => {
  it.each<readonly [string, JsonObject]>([
    ["clientInfo", { ...initialize, clientInfo: null }],
    ["clientInfo", { ...initialize, clientInfo: { name: "host" } }],
    ["protocolVersion", { ...initialize, protocolVersion: 1 }],
    ["capabilities", { ...initialize, capabilities: null }],
    ["protocolVersion", {}],
  ])("%s", async (member, params) => {
    const { url } = await serving();
    const response = await postTo(url, params);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      jsonrpc: "2.0",
      id: 7,
      error: { code: -32602, message: expect.stringContaining(`initialize needs ${member}`) },
    });
  });
});
