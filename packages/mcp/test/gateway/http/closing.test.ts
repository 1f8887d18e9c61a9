import { defineTool } from "@toolweave/core";
import { expect, it, onTestFinished } from "vitest";
import { listenHttp, type McpProvider } from "../../../src/gateway/index.ts";
import { clientOf, eras, opening, serving, textOf } from "../../support/open-gateway.ts";

it.each(eras)(
  "a %s client reads an answer to each request that the end of the gateway has cut off",
  async (era) => {
    let under = 0;
    const all = opening();
    const begin = (): void => {
      under += 1;
      if (under === 3) all.open();
    };
    const hold = defineTool({
      name: "hold",
      description: "Waits until it is stopped.",
      input: { type: "object", properties: {} },
      execute: (_args, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
          begin();
        }),
    });
    const shelf: McpProvider = {
      id: "shelf",
      resources: {
        list: () => [],
        templates: () => [],
        read: () =>
          new Promise(() => {
            begin();
          }),
      },
      onChange: () => () => {},
    };
    const { gateway } = await serving({ tools: [hold], gateway: { providers: [shelf] } });
    const listener = await listenHttp(gateway);
    onTestFinished(() => listener.close(0));
    const client = await clientOf(listener.url, era);
    const calls = [1, 2].map(() => client.callTool({ name: "hold", arguments: {} }));
    const read = client.readResource({ uri: "shelf://1" }).catch((error: unknown) => error);
    await all.opened;
    await Promise.all([gateway.close({ graceMs: 1 }), listener.close(600_000)]);
    for (const result of await Promise.all(calls)) {
      expect(result.isError).toBe(true);
      expect(textOf(result)).toContain("cancelled");
    }
    expect(String(await read)).toContain("The gateway is shutting down.");
  },
);
