import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { defineTool } from "@toolweave/core";
import { expect, it, onTestFinished, vi } from "vitest";
import type { McpProvider } from "../../../src/gateway/index.ts";
import { openClient, eras, opening, requestFor, serving } from "../../support/open-gateway.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Everything unreferenced is collected, in the gateway as well: it is in this process. */
async function collectAll(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
}

function shelf(watched: Set<string>): McpProvider {
  return {
    id: "shelf",
    resources: {
      list: () => [],
      templates: () => [],
      read: () => ({ contents: [] }),
      subscribe: (uri) => void watched.add(uri),
      unsubscribe: (uri) => void watched.delete(uri),
    },
    onChange: () => () => {},
  };
}

it("the end of a client's stream is noticed, however old its request is", async () => {
  const watched = new Set<string>();
  const { url } = await serving({ gateway: { providers: [shelf(watched)] } });
  const client = await openClient(url, "modern");
  const listening = await client.listen({ resourceSubscriptions: ["shelf://1"] });
  expect(watched).toEqual(new Set(["shelf://1"]));
  await collectAll();
  await listening.close();
  await vi.waitFor(() => expect(watched).toEqual(new Set()), 60_000);
});

it.each(eras)("a call ends with the connection of its client (%s)", async (era) => {
  const started = opening();
  const stopped = opening();
  const slow = defineTool({
    name: "slow",
    description: "Never ends.",
    input: { type: "object", properties: {} },
    execute: (_args, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          stopped.open();
          reject(signal.reason as Error);
        });
        started.open();
      }),
  });
  const { url } = await serving({ tools: [slow] });
  const client = await openClient(url, era);
  onTestFinished(() => client.close());
  const abort = new AbortController();
  const call = client.callTool({ name: "slow", arguments: {} }, { signal: abort.signal });
  await started.opened;
  await collectAll();
  abort.abort("enough");
  await expect(call).rejects.toBeDefined();
  await stopped.opened;
});

it("a rejected stream holds no resources", async () => {
  const watched = new Set<string>();
  const { url } = await serving({
    gateway: { providers: [shelf(watched)], limits: { subscriptions: 2 } },
  });
  const notifications = { resourceSubscriptions: ["shelf://1"] };
  for (let time = 0; time < 3; time++) {
    const request = requestFor(url, "subscriptions/listen", { notifications });
    request.headers.set("mcp-method", "tools/list");
    const refused = await fetch(request);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("error");
    expect(watched).toEqual(new Set());
  }
});
