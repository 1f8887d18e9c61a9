import { fileURLToPath } from "node:url";
import { compileCache } from "@toolweave/test-support";
import { describe, expect, it } from "vitest";
import type { McpStdioServer } from "../../../src/index.ts";
import { connected } from "../../support/open-connection.ts";
import { opened } from "../../support/open-source.ts";

const script = fileURLToPath(new URL("../../support/probe-server.ts", import.meta.url));

function probed(way: string, more: Partial<McpStdioServer> = {}): McpStdioServer {
  return { name: way, command: process.execPath, args: [script, way], env: compileCache, ...more };
}

/** The response of each to an unknown request. */
const older = [
  "refuses",
  "null_id",
  "garbage",
  "quiet",
  "exits_when_asked",
  "silent",
  "bom",
  "text_ids",
];

describe("a process that receives the newer protocol's probe", () => {
  it.each(older)("and %s is connected to in the older one", async (way) => {
    const { era } = await connected(probed(way));
    expect(era).toBe("legacy");
  });

  it("and starts slowly gets more time, whatever it prints before", async () => {
    const { era, protocolVersion } = await connected(probed("slow"));
    expect([era, protocolVersion]).toEqual(["modern", "2026-07-28"]);
  });

  it("and starts after the ping receives the client's capabilities", async () => {
    const gateway = new URL("../../support/gateway-stdio.ts", import.meta.url);
    const late = `setTimeout(() => import(${JSON.stringify(gateway.href)}), 1_500)`;
    const args = ["--conditions=@toolweave/source", "--input-type=module", "-e", late];
    const server = { name: "late", command: process.execPath, args, env: compileCache };
    const connection = await connected(server, { capabilities: { elicitation: { form: {} } } });
    const { signal } = new AbortController();
    const call = { name: "drop", arguments: {} };
    expect([
      connection.era,
      await connection.request("tools/call", call, { signal }),
    ]).toMatchObject(["modern", { resultType: "input_required" }]);
  });
});

describe("a program that is not a server", () => {
  it("fails with a hint if it writes UTF-16", async () => {
    await expect(opened(probed("utf16", { timeoutMs: 4_000 })).ready).rejects.toThrow(
      /first line that is no JSON-RPC message: "\{"jsonrpc".*in UTF-16\? Messages must be in UTF-8/,
    );
  });

  it("fails with its exit code and its last output at every start", async () => {
    const attempts = Array.from({ length: 8 }, () => opened(probed("exits")).ready);
    for (const attempt of attempts) {
      await expect(attempt).rejects.toThrow(
        /^The MCP server exits cannot be connected to: the server exited with the code 64\. Standard error: usage: probe --library <folder>/,
      );
    }
  });

  it("fails with Node's error for a missing module", async () => {
    const server = { name: "gone", command: process.execPath, args: ["/nowhere/server.js"] };
    await expect(opened(server).ready).rejects.toMatchObject({
      message: expect.stringMatching(/the code 1\. Standard error: .*Cannot find module/s),
    });
  });

  it("fails with its name if there is no such program", async () => {
    const server = { name: "none", command: "toolweave-no-such-program" };
    await expect(opened(server).ready).rejects.toMatchObject({
      retryable: false,
      message:
        "The MCP server none cannot be connected to: there is no such program: toolweave-no-such-program.",
    });
  });

  it("that hangs fails with a timeout, and is ended by closing its source", async () => {
    const source = opened(probed("hangs", { timeoutMs: 1_000 }));
    await expect(source.ready).rejects.toMatchObject({ code: "timeout" });
    await source.close();
  });
});
