import { defineTool, ToolExecutor, ToolRegistry, type Tool } from "@toolweave/core";
import { FakeClock } from "@toolweave/test-support/fake-clock";
import { describe, expect, it, onTestFinished } from "vitest";
import { mcpSource } from "../../../src/index.ts";
import { forwardToClient, listenHttp, serveMcp } from "../../../src/gateway/index.ts";
import { pressServer } from "../../support/requesting-server-process.ts";
import { openClient, eras, serving, readText, type Era } from "../../support/open-gateway.ts";

const hour = 3_600_000;

/** A press behind a gateway, whose calls may take a second by this clock. */
async function pressGateway(
  era: Era,
): Promise<{ readonly url: string; readonly clock: FakeClock }> {
  const source = mcpSource(pressServer(era, forwardToClient));
  onTestFinished(() => source.close());
  await source.ready;
  const clock = new FakeClock();
  const registry = new ToolRegistry([source]);
  const executor = new ToolExecutor({ registry, policy: "autonomous", timeoutMs: 1_000, clock });
  const gateway = serveMcp(registry, executor);
  const listener = await listenHttp(gateway);
  onTestFinished(async () => {
    await Promise.all([gateway.close({ graceMs: 0 }), listener.close(0)]);
  });
  return { url: listener.url, clock };
}

describe.each(eras)("while the user of a %s client answers", (era) => {
  it.each([
    ["legacy", "ask"],
    ["modern", "print"],
  ] as const)("a question of a %s server, the tool's timeout is paused", async (server, name) => {
    const { url, clock } = await pressGateway(server);
    const client = await openClient(url, era, {
      says: async () => {
        await clock.advance(hour);
        return { action: "accept", content: { name: "Ann", copies: 2 } };
      },
    });
    const result = await client.callTool({ name, arguments: {} });
    expect(result.isError).not.toBe(true);
    expect(readText(result)).toContain("Ann");
  });
});

describe.each(eras)("an inner call of a tool, for a %s client,", (era) => {
  it("has the client of the outer call, at any depth, alone or with others", async () => {
    const knock = defineTool({
      name: "knock",
      description: "Asks for the visitor's name.",
      input: { type: "object", properties: {} },
      async execute(_args, ctx) {
        const { action } = await forwardToClient.onElicitation({ message: "Who?" }, ctx);
        return action;
      },
    });
    const calls = (name: string, inner: string, times: number): Tool =>
      defineTool({
        name,
        description: "Calls another tool.",
        input: { type: "object", properties: {} },
        async execute(_args, { scope }) {
          const ids = Array.from({ length: times }, (_, index) => `${name}_${index}`);
          const outcomes = await Promise.all(
            ids.map((id) => scope.execute({ id, name: inner, arguments: {} })),
          );
          return outcomes
            .map((outcome) => (outcome.status === "completed" ? readText(outcome.result) : "?"))
            .join(" ");
        },
      });
    const { url } = await serving({
      tools: [knock, calls("middle", "knock", 2), calls("outer", "middle", 1)],
    });
    const client = await openClient(url, era, { says: () => ({ action: "accept", content: {} }) });
    const result = await client.callTool({ name: "outer", arguments: {} });
    expect(readText(result)).toBe("accept accept");
  });
});
