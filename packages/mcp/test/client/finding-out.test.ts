import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { McpStdioServer } from "../../src/index.ts";
import { connected } from "../support/connecting.ts";
import { opened } from "../support/running.ts";

const script = fileURLToPath(new URL("../support/probe-server.ts", import.meta.url));

function probed(way: string, more: Partial<McpStdioServer> = {}): McpStdioServer {
  return { name: way, command: process.execPath, args: [script, way], ...more };
}

/** What each of them does with a request that it does not know, and milliseconds in which it is found out. */
const older: readonly (readonly [string, number])[] = [
  ["refuses", 1_500],
  ["nobody", 1_500],
  ["garbage", 3_500],
  ["quiet", 3_000],
  ["exits_when_asked", 2_500],
  ["silent", 6_500],
];

describe("a process that is asked for the newer protocol", () => {
  it("and knows none is found out soon", { timeout: 20_000 }, async () => {
    const found = older.map(async ([way, most]) => {
      const begun = performance.now();
      const { era } = await connected(probed(way));
      return [way, era, performance.now() - begun < most];
    });
    expect(await Promise.all(found)).toEqual(older.map(([way]) => [way, "legacy", true]));
  });

  it("and starts slowly is given more time, whatever it says before", async () => {
    const { era, protocolVersion } = await connected(probed("slow"));
    expect([era, protocolVersion]).toEqual(["modern", "2026-07-28"]);
  });

  it("and begins after it was asked whether it is there hears what the host can do", async () => {
    const gateway = new URL("../support/gateway-stdio.ts", import.meta.url);
    const late = `setTimeout(() => import(${JSON.stringify(gateway.href)}), 1_500)`;
    const args = ["--conditions=@toolweave/source", "--input-type=module", "-e", late];
    const server = { name: "late", command: process.execPath, args };
    const connection = await connected(server, { capabilities: { elicitation: { form: {} } } });
    const { signal } = new AbortController();
    const call = { name: "drop", arguments: {} };
    expect([
      connection.era,
      await connection.request("tools/call", call, { signal }),
    ]).toMatchObject(["modern", { resultType: "input_required" }]);
  });
});

describe("a program that is no server", () => {
  it("fails with its exit code and what it said last, however often it is started", async () => {
    const attempts = Array.from({ length: 8 }, () => opened(probed("exits")).ready);
    for (const attempt of attempts) {
      await expect(attempt).rejects.toThrow(
        /^The MCP server exits cannot be connected to: the server has ended with the exit code 64\. It said: usage: probe --library <folder>/,
      );
    }
  });

  it("fails with what Node says of a module that is not there", async () => {
    const server = { name: "gone", command: process.execPath, args: ["/nowhere/server.js"] };
    await expect(opened(server).ready).rejects.toMatchObject({
      message: expect.stringMatching(/the exit code 1\. It said: .*Cannot find module/s),
    });
  });

  it("fails with its name when there is no such program", async () => {
    const server = { name: "none", command: "toolweave-no-such-program" };
    await expect(opened(server).ready).rejects.toMatchObject({
      retryable: false,
      message:
        "The MCP server none cannot be connected to: there is no program toolweave-no-such-program.",
    });
  });

  it("has ended soon after nobody waits for it any more", async () => {
    const begun = performance.now();
    const source = opened(probed("hangs", { timeoutMs: 1_000 }));
    await expect(source.ready).rejects.toMatchObject({ code: "timeout" });
    await source.close();
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});
