import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { listenHttp, serveMcp } from "../../../src/gateway/index.ts";
import { fragile, lives } from "../../support/fragile-source.ts";
import { opened } from "../../support/open-source.ts";
import { openClient, eras, opening } from "../../support/open-gateway.ts";

/** The warnings of this process that name processes which were left. */
function warnings(): readonly string[] {
  const received: string[] = [];
  const onWarning = (warning: Error & { readonly code?: string }): void => {
    if (warning.code === "TOOLWEAVE_DETACHED") received.push(warning.message);
  };
  process.on("warning", onWarning);
  onTestFinished(() => void process.off("warning", onWarning));
  return received;
}

/** Ends the processes that a server has left behind. */
function endAfterwards(pids: () => readonly number[]): void {
  onTestFinished(() => {
    for (const pid of pids().filter(lives)) process.kill(pid, "SIGKILL");
  });
}

// Other platforms do not report it.
describe.skipIf(process.platform !== "linux")("a detached process of a server", () => {
  it("is not killed, and named in a warning", async () => {
    const received = warnings();
    const { server, pids } = fragile("detached");
    endAfterwards(pids);
    const source = opened(server);
    await source.ready;
    const [own, detached] = pids();
    await source.close();
    expect([own, detached].map((pid) => lives(pid as number))).toEqual([false, true]);
    const warning = `^The MCP server fragile has left processes behind: \\S+ \\(${detached}\\)\\.$`;
    await vi.waitFor(() => expect(received).toEqual([expect.stringMatching(warning)]), 60_000);
  });

  it("that exits by itself is not named", async () => {
    const received = warnings();
    const { server, pids } = fragile("follows");
    endAfterwards(pids);
    const source = opened(server);
    await source.ready;
    await source.close();
    await vi.waitFor(() => expect(pids().filter(lives)).toEqual([]), 60_000);
    // Node.js emits a warning a moment later.
    await new Promise(setImmediate);
    expect(received.filter((warning) => warning.includes(`(${pids()[1]})`))).toEqual([]);
  });
});

describe.skipIf(process.platform === "win32").each(eras)("a gateway, for a %s client,", (era) => {
  it(
    "that is closed while a server hangs ends the call and the server's processes",
    {
      timeout: 60_000,
    },
    async () => {
      const received = warnings();
      const { server, pids } = fragile("stubborn,children,detached");
      endAfterwards(pids);
      const registry = new ToolRegistry([opened(server)]);
      await registry.ready;
      const executor = new ToolExecutor({ registry, policy: "autonomous" });
      const gateway = serveMcp(registry, executor);
      const listener = await listenHttp(gateway);
      onTestFinished(() => listener.close(0));
      const client = await openClient(listener.url, era);
      const begun = opening();
      executor.on(({ type }) => type === "tool.started" && begun.open());
      const call = client
        .callTool({ name: "hang", arguments: {} })
        .catch((error: unknown) => error);
      await begun.opened;
      await gateway.close({ graceMs: 0 });
      await registry.close();
      expect(await call).toBeDefined();
      const [, child, detached] = pids();
      expect(pids().filter(lives)).toEqual([detached]);
      expect(child).toBeDefined();
      await vi.waitFor(
        () => expect(received).toEqual([expect.stringContaining(`(${detached})`)]),
        60_000,
      );
    },
  );
});
