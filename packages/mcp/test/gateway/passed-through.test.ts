import { fileURLToPath } from "node:url";
import type { JsonObject } from "@toolweave/core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { compileCache, isFullRun } from "@toolweave/test-support";
import type { McpServer } from "../../src/index.ts";
import { listenHttp } from "../../src/gateway/index.ts";
import { differences } from "../support/passed-through-differences.ts";
import { gatewayOver } from "../support/passed-through-gateway.ts";
import { everythingSteps, fixtureSteps, type Step } from "../support/passed-through-steps.ts";
import { prefix, view, viewOfList } from "../support/passed-through-view.ts";
import { everything } from "../support/everything-server.ts";
import { fixtureHttp } from "../support/fixture-server-http.ts";
import { fixtureStdio } from "../support/fixture-server-options.ts";
import {
  clientKinds,
  plainClient,
  type ClientKind,
  type Place,
  type PlainClient,
} from "@toolweave/test-support/mcp-client";

type ServerName = "everything" | "fixture";
type Transport = "stdio" | "HTTP";

/** Undone at the end, the last one first. */
type Ends = (() => Promise<void>)[];

const steps: Readonly<Record<ServerName, readonly Step[]>> = {
  everything: everythingSteps,
  fixture: fixtureSteps,
};

const lists = [
  ["tools/list", "tools", "name"],
  ["resources/list", "resources", "uri"],
  ["resources/templates/list", "resourceTemplates", "uriTemplate"],
  ["prompts/list", "prompts", "name"],
] as const;

/** A separate server for each client: the effects of one must not be visible to the other. */
async function started(name: ServerName, transport: Transport, ends: Ends): Promise<McpServer> {
  if (name === "everything") {
    const over = transport === "stdio" ? "stdio" : "Streamable HTTP";
    const { server, stop } = await everything(over, { name: "s", prefix: "s" });
    ends.push(stop);
    return server;
  }
  if (transport === "stdio") return { ...fixtureStdio, name: "s" };
  const http = await fixtureHttp();
  ends.push(() => http.close());
  return { name: "s", url: http.url };
}

function findPlace(server: McpServer): Place {
  if ("url" in server) return { url: String(server.url) };
  if (!("command" in server)) throw new Error("It is no place.");
  return { command: server.command, args: server.args ?? [], env: server.env ?? {} };
}

/** The server behind a gateway: in a child process over stdio, in this one over HTTP. */
async function served(server: McpServer, ends: Ends): Promise<Place> {
  if ("command" in server) {
    const file = fileURLToPath(new URL("../support/passed-through-gateway.ts", import.meta.url));
    const args = ["--conditions=@toolweave/source", file, JSON.stringify(server)];
    return { command: process.execPath, args, env: compileCache };
  }
  const { source, gateway } = gatewayOver(server);
  const listener = await listenHttp(gateway);
  ends.push(async () => {
    await Promise.all([gateway.close({ graceMs: 0 }), listener.close(0)]);
    await source.close();
  });
  return { url: listener.url };
}

/** With our names. */
function ours({ method, params }: Step): JsonObject {
  const { name, ref } = params;
  if (method === "tools/call" || method === "prompts/get") {
    return { ...params, name: `${prefix}${String(name)}` };
  }
  const { type, name: theirs } = (ref ?? {}) as JsonObject;
  if (type !== "ref/prompt") return params;
  return { ...params, ref: { type, name: `${prefix}${String(theirs)}` } };
}

const every = (["everything", "fixture"] as const).flatMap((name) =>
  (["stdio", "HTTP"] as const).flatMap((transport) =>
    clientKinds.map((kind) => ({ name, transport, kind })),
  ),
);
const quickPlaces = ["fixture stdio", "everything HTTP", "fixture HTTP"];
// A quick run has each kind of client once.
const cases = every.filter(
  ({ name, transport, kind }) =>
    isFullRun || quickPlaces[clientKinds.indexOf(kind)] === `${name} ${transport}`,
);

describe.each(cases)(
  "a client of the SDK $kind has through a gateway over $transport the same results as with $name:",
  ({ name, transport, kind }) => {
    const ends: Ends = [];
    let direct: PlainClient;
    let through: PlainClient;

    beforeAll(async () => {
      // This server does not support the newer protocol; the gateway in front of it does.
      const isOlder = name === "everything" && kind === "2.x, 2026-07-28";
      const directKind: ClientKind = isOlder ? "2.x, 2025-11-25" : kind;
      const connected = async (as: ClientKind, place: Place): Promise<PlainClient> => {
        const client = await plainClient(as, place);
        ends.push(() => client.close());
        return client;
      };
      direct = await connected(directKind, findPlace(await started(name, transport, ends)));
      through = await connected(kind, await served(await started(name, transport, ends), ends));
    });
    afterAll(async () => {
      for (const end of ends.toReversed()) await end();
    });

    it.each(lists)("%s", async (method, member, key) => {
      const theirs = viewOfList(await direct.list(method, member), key);
      expect(viewOfList(await through.list(method, member), key)).toEqual(theirs);
      expect(Object.keys(theirs)).not.toEqual([]);
    });

    it.each(steps[name])("$shows", async (step) => {
      const asksForRoots = name === "fixture";
      const { method, params, only } = step;
      const theirs = view(await direct.request(method, params), asksForRoots, only);
      const seen = view(await through.request(method, ours(step)), asksForRoots, only);
      const difference = differences.find(
        ({ server, shows }) => server === name && shows === step.shows,
      );
      expect(seen).toEqual(difference?.seen(theirs) ?? theirs);
    });

    // Those of server-everything arrive at any time, and belong to no call.
    it.each(name === "fixture" ? ["error", "debug"] : [])("a log message: %s", async (level) => {
      const args = { level, text: "no paper" };
      await direct.request("tools/call", { name: "say", arguments: args });
      await through.request("tools/call", { name: `${prefix}say`, arguments: args });
      const message = {
        method: "notifications/message",
        params: { level, logger: "fixture", data: "no paper" },
      };
      for (const client of [direct, through]) {
        await vi.waitFor(() => expect(client.received).toContainEqual(message), 60_000);
      }
    });

    it("changes of a resource that it has subscribed to", async () => {
      const isFixture = name === "fixture";
      const uri = isFixture ? "fixture://text" : "demo://resource/dynamic/text/1";
      const tool = isFixture ? "change" : "toggle-subscriber-updates";
      const args = isFixture ? { what: "resource", uri } : {};
      const updated = { method: "notifications/resources/updated", params: { uri } };
      for (const [client, called] of [
        [direct, tool],
        [through, `${prefix}${tool}`],
      ] as const) {
        await client.subscribe(uri);
        await client.request("tools/call", { name: called, arguments: args });
        await vi.waitFor(() => expect(client.received).toContainEqual(updated), 60_000);
      }
    });
  },
);

it("every listed difference belongs to an existing step", () => {
  for (const { server, shows } of differences) {
    expect(steps[server].map((step) => step.shows)).toContain(shows);
  }
});
