import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { conformance } from "@toolweave/conformance/vitest";
import { filter, prefix, type ToolSource } from "@toolweave/core";
import { afterAll, beforeAll } from "vitest";
import { mcpSource } from "../../src/index.ts";
import {
  conformingLibrary,
  LibraryFolder,
  libraryToken,
  transportRules,
} from "../support/conforming-library.ts";

const folder = new LibraryFolder();
const headers = { authorization: `Bearer ${libraryToken}` };
let gateways: ChildProcess;
let url: string;
let made = 0;
beforeAll(async () => {
  gateways = fork(fileURLToPath(new URL("../support/conforming-gateway.ts", import.meta.url)));
  [url] = (await once(gateways, "message")) as [string];
});
afterAll(() => void gateways.disconnect());

const say = async (what: "pause" | "resume"): Promise<void> => {
  gateways.send(what);
  await once(gateways, "message");
};
const outage = { begin: () => say("pause"), end: () => say("resume") };

conformance(
  conformingLibrary({
    name: "an MCP server behind a gateway",
    waits: folder.borrowing("town__lend_book"),
    folder,
    create: () =>
      mcpSource({ name: "town", url: `${url}/${(made += 1)}`, headers, declaration: "town" }),
    named: (tool) => `town__${tool}`,
    outage,
  }),
  transportRules,
);

conformance(
  conformingLibrary({
    name: "an MCP server behind a gateway that asks its client, with a prefix and a filter",
    waits: folder.borrowing("land__town__lend_book"),
    isShared: true,
    folder,
    create: () =>
      prefix(
        filter(
          mcpSource({ name: "town", url: `${url}/asks`, headers, declaration: "town" }),
          ({ spec }) => spec.name !== "town__leave",
        ),
        "land",
      ),
    named: (tool) => `land__town__${tool}`,
    outage,
    // A call is bound to its connection: its requests are answered there.
    without: {
      change: "all sources have one gateway: a change would also affect the next of them",
    },
  }),
  transportRules,
);

conformance(
  conformingLibrary({
    name: "a host's own client of the older protocol, connected to a gateway",
    folder,
    create: () => throughClient(`${url}/${(made += 1)}`),
    named: (tool) => `town__${tool}`,
    without: {
      outage: "the host has to restore its own connection",
      suspendingCalls: "the host's own client is asked, and answers by itself",
    },
  }),
  transportRules,
);

/** The client is closed with the source, as a host would do. */
async function throughClient(at: string): Promise<ToolSource> {
  const client = new Client(
    { name: "host", version: "1" },
    { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode: "legacy" } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(at), { requestInit: { headers } }),
  );
  const source = mcpSource({ name: "town", client });
  const closeSource = source.close;
  const close = async (): Promise<void> => {
    await closeSource();
    await client.close();
  };
  return Object.assign(source, { close, [Symbol.asyncDispose]: close });
}
