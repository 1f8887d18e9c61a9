import { describe, expect, it } from "vitest";
import { greets, rawHttp, said } from "../support/raw-http.ts";
import { executorOver, opened } from "../support/open-source.ts";

const discovered = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: "private",
};

/** A server whose tool requires `region` in another header after it was listed first. */
async function moving(description: (lists: number) => string, accepts = true, status = 400) {
  let lists = 0;
  const calls: unknown[] = [];
  const url = await rawHttp(({ message, request, response, json }) => {
    switch (message.method) {
      case "server/discover":
        return json({ result: discovered });
      case "tools/list": {
        const header = lists++ === 0 ? "Region" : "Area";
        const region = { type: "string", "x-mcp-header": header };
        const inputSchema = { type: "object", properties: { region } };
        const tools = [{ name: "query", description: description(lists), inputSchema }];
        return json({ result: { ...discovered, tools } });
      }
      default: {
        calls.push(request.headers["mcp-param-area"]);
        if (accepts && request.headers["mcp-param-area"] === "eu") {
          return json({ result: { resultType: "complete", ...said("found") } });
        }
        const error = { code: -32_020, message: "Mcp-Param-Area is missing" };
        const body = { jsonrpc: "2.0", id: message.id, error };
        response.writeHead(status, { "content-type": "application/json" });
        return response.end(JSON.stringify(body));
      }
    }
  });
  const source = opened({ name: "moving", url, prefix: false });
  await source.ready;
  const call = () =>
    executorOver(source).execute({ id: "1", name: "query", arguments: { region: "eu" } });
  return { call, calls };
}

describe("a tool whose arguments require other headers than when it was listed", () => {
  it("is listed again, and called once more with the new ones", async () => {
    const { call, calls } = await moving(() => "Finds.");
    const outcome = await call();
    expect(outcome).toMatchObject({ status: "completed", result: said("found") });
    expect(calls).toEqual([undefined, "eu"]);
    await call();
    expect(calls).toEqual([undefined, "eu", "eu"]);
  });

  it("is not called again if anything else of it has changed, which was not approved", async () => {
    const { call, calls } = await moving((lists) => `Finds. (${lists})`);
    const outcome = await call();
    expect(outcome).toMatchObject({ status: "failed", result: { isError: true } });
    expect(calls).toEqual([undefined]);
  });

  it.each(["2025-11-25", "2026-07-28"])(
    "is called once if they would be the same again, whatever code a server of %s returns",
    async (version) => {
      let calls = 0;
      const url = await rawHttp((exchange) => {
        const { message, json } = exchange;
        if (version === "2025-11-25" && greets(exchange)) return undefined;
        switch (message.method) {
          case "server/discover":
            return json({ result: discovered });
          case "tools/list": {
            const region = { type: "string", "x-mcp-header": "Region" };
            const inputSchema = { type: "object", properties: { region } };
            return json({ result: { ...discovered, tools: [{ name: "query", inputSchema }] } });
          }
          default:
            calls += 1;
            return json({ error: { code: -32_020, message: "Half of it is done" } });
        }
      });
      const source = opened({ name: "failing", url, prefix: false });
      await source.ready;
      const call = { id: "1", name: "query", arguments: { region: "eu" } };
      expect(await executorOver(source).execute(call)).toMatchObject({ status: "failed" });
      expect(calls).toBe(1);
    },
  );

  it("is called at most twice if the server rejects it again", async () => {
    const { call, calls } = await moving(() => "Finds.", false);
    expect(await call()).toMatchObject({ status: "failed" });
    expect(calls).toEqual([undefined, "eu"]);
  });

  it("is not called again if the server has accepted the call and fails in its response", async () => {
    const { call, calls } = await moving(() => "Finds.", true, 200);
    expect(await call()).toMatchObject({ status: "failed" });
    expect(calls).toEqual([undefined]);
  });
});
