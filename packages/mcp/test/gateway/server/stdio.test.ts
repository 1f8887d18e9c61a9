import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { fileURLToPath } from "node:url";
import { compileCache } from "@toolweave/test-support";
import { describe, expect, it, onTestFinished } from "vitest";
import { eras, readText } from "../../support/open-gateway.ts";

const server = {
  command: process.execPath,
  env: compileCache,
  args: [
    "--conditions=@toolweave/source",
    fileURLToPath(new URL("../../support/gateway-stdio.ts", import.meta.url)),
  ],
};

describe.each(eras)("a gateway over stdio, for a %s client,", (era) => {
  it("responds, asks for approval, forwards questions, and ends with its client", async () => {
    const asked: string[] = [];
    const client = new Client(
      { name: "host", version: "1" },
      {
        capabilities: { elicitation: { form: {} } },
        versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" },
      },
    );
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params.message.split("\n")[0] ?? "");
      return { action: "accept", content: { decision: "approve" } };
    });
    const transport = new StdioClientTransport(server);
    await client.connect(transport);
    onTestFinished(() => client.close());
    expect(client.getInstructions()).toBe("Add first.");
    const sum = await client.callTool({ name: "add", arguments: { a: 1, b: 2 } });
    expect(readText(sum)).toBe("3");
    const dropped = await client.callTool({ name: "drop", arguments: {} });
    expect(readText(dropped)).toBe("dropped: accept");
    expect(asked).toEqual(["drop needs your approval:", "All?"]);
    const { pid } = transport;
    await client.close();
    expect(() => process.kill(pid as number, 0)).toThrow(/ESRCH/);
  });
});

it("a gateway over stdio serves a client of the SDK's first version", async () => {
  const client = new OldClient({ name: "host", version: "1" });
  await client.connect(new OldTransport(server));
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["add", "drop", "read_artifact"]);
  const sum = await client.callTool({ name: "add", arguments: { a: 1, b: 2 } });
  expect(sum.content).toEqual([{ type: "text", text: "3" }]);
});
