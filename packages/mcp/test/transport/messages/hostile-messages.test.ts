import { fileURLToPath } from "node:url";
import { compileCache } from "@toolweave/test-support";
import { describe, expect, it, vi } from "vitest";
import type { McpStdioServer } from "../../../src/index.ts";
import { connected, readText } from "../../support/open-connection.ts";
import { executorOver, opened } from "../../support/open-source.ts";

function hostile(more: Partial<McpStdioServer> = {}): McpStdioServer {
  const args = [fileURLToPath(new URL("../../support/hostile-server.ts", import.meta.url))];
  return {
    name: "hostile",
    command: process.execPath,
    args,
    env: compileCache,
    prefix: false,
    ...more,
  };
}

describe("a server that attacks its host", () => {
  it.each([
    "odd_token",
    "odd_cancel",
    "deep_noise",
    "deep_id",
    "deep_request",
    "deep_params",
    "deep_log",
    "prototypes",
    "bytes",
  ])("MC19: stops nothing with %s, and its own call ends", async (attack) => {
    const connection = await connected(hostile());
    expect(await readText(connection, attack)).toBe("done");
    expect(await readText(connection, "echo")).toBe("done");
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it("is disconnected in the middle of an empty batch", async () => {
    const connection = await connected(hostile());
    await expect(readText(connection, "batch")).rejects.toThrow("sends invalid messages");
    expect(connection.faults.skipped).toBe(10_000);
  });

  it("MC15: fails only its call with a response of millions of values, which is not parsed", async () => {
    const connection = await connected(hostile());
    await expect(readText(connection, "values")).rejects.toMatchObject({
      code: "upstream",
      message: expect.stringContaining("more than 2000000 values"),
    });
    expect(await readText(connection, "echo")).toBe("done");
  });

  it.each(["close_output", "close_input"])(
    "MF04: that only does %s, and keeps running, is disconnected",
    async (attack) => {
      const connection = await connected(hostile());
      const call = readText(connection, attack).then(() => readText(connection, "echo"));
      await expect(call).rejects.toThrow("the server has closed its input or its output");
      await connection.closed;
    },
  );
});

describe("a server that sends requests endlessly", () => {
  it("is answered by the host's model a hundred times in one call, and then rejected", async () => {
    const onSampling = vi.fn<() => object>(() => ({
      role: "assistant",
      content: { type: "text", text: "yes" },
      model: "m",
    }));
    const executor = executorOver(opened(hostile({ onSampling: onSampling as never })));
    const call = (id: string): Promise<unknown> =>
      executor.execute({ id, name: "questions", arguments: {} });
    expect(await call("first")).toMatchObject({ status: "completed" });
    expect(onSampling).toHaveBeenCalledTimes(100);
    await call("second");
    expect(onSampling).toHaveBeenCalledTimes(200);
  });

  it("has at most twenty concurrent requests, and does not block another call", async () => {
    let open = 0;
    let most = 0;
    const roots = async (): Promise<readonly { uri: string }[]> => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return [];
    };
    const executor = executorOver(opened(hostile({ roots })));
    expect(await executor.execute({ id: "c", name: "flood", arguments: {} })).toMatchObject({
      status: "completed",
    });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(20);
  });
});
