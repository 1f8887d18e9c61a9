import { once } from "node:events";
import type { JsonObject } from "@toolweave/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { ForwardCredentials } from "../../../src/gateway/replicas/forward-credentials.ts";
import { Sealer } from "../../../src/gateway/replicas/sealer.ts";
import { ask as send } from "../../support/open-listener.ts";
import { freePort } from "@toolweave/test-support/replicas";
import { key } from "../../support/replicas/cluster.ts";
import {
  findHolder,
  rawReplica,
  replicaHere,
  sessionAt,
} from "../../support/replicas/raw-replica.ts";
import { ask, askIn, fetchIn, startSession } from "../../support/replicas/replica-requests.ts";

const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });

/** The headers of a request in a session that replicas forward. */
const headersIn = (session: string): [string, string][] => [
  ["accept", "application/json, text/event-stream"],
  ["content-type", "application/json"],
  ["mcp-protocol-version", "2025-11-25"],
  ["mcp-session-id", session],
];

/** Sends a request as another replica would. */
async function sendForwarded(
  url: string,
  session: string,
  authorization: string,
  changed: { readonly body?: string; readonly headers?: Record<string, string> } = {},
): Promise<{ readonly status: number }> {
  const headers = { ...Object.fromEntries(headersIn(session)), authorization, ...changed.headers };
  // `fetch` would repeat a request that is answered with 421.
  const { status, body } = await send(url, { headers, body: changed.body ?? list });
  const [, data] = /^data: (\{.*)$/m.exec(body) ?? [];
  return data === undefined ? { status } : { status, ...(JSON.parse(data) as JsonObject) };
}

/** A credential for one request in a session. */
async function credential(
  session: string,
  { caller = "ann", secret = key, now = Date.now, instance = "" } = {},
): Promise<string> {
  const holder = await findHolder(session);
  const to = instance === "" ? holder : { ...holder, instance };
  const parts = { method: "POST", headers: headersIn(session), body: list };
  return new ForwardCredentials(secret, "sender", now).create(to, { id: caller }, parts);
}

describe("a request that claims to be from another replica", () => {
  it("is answered once, and refused when it is sent again", async () => {
    const { url } = await replicaHere();
    const session = await startSession(url);
    const authorization = await credential(session);
    expect(await sendForwarded(url, session, authorization)).toMatchObject({
      status: 200,
      result: { tools: [{ name: "echo" }, { name: "read_artifact" }] },
    });
    expect((await sendForwarded(url, session, authorization)).status).toBe(401);
  });

  it.each([
    ["is no sealed value", () => Promise.resolve("Toolweave-Replica forged")],
    ["is empty", () => Promise.resolve("Toolweave-Replica ")],
    [
      "is sealed with another key",
      (session: string) => credential(session, { secret: "x".repeat(32) }),
    ],
    [
      "is sealed with the key for another purpose",
      async (session: string) => {
        const holder = await findHolder(session);
        const sealed = await new Sealer(key, "toolweave mcp session 1").seal(holder, []);
        return `Toolweave-Replica ${sealed}`;
      },
    ],
    [
      "is the id of a session",
      (session: string) => Promise.resolve(`Toolweave-Replica ${session}`),
    ],
    [
      "is older than the clocks may differ",
      (session: string) => credential(session, { now: () => Date.now() - 31_000 }),
    ],
    [
      "is from the future",
      (session: string) => credential(session, { now: () => Date.now() + 31_000 }),
    ],
  ])("is refused if its credential %s", async (_what, make) => {
    const { url } = await replicaHere();
    const session = await startSession(url);
    expect((await sendForwarded(url, session, await make(session))).status).toBe(401);
  });

  it.each([
    ["body", { body: list.replace("tools/list", "resources/list") }],
    ["header of the protocol", { headers: { "mcp-protocol-version": "2025-06-18" } }],
    ["additional header of the protocol", { headers: { "mcp-param-x": "1" } }],
  ])("is refused if its %s was changed on the way", async (_what, changed) => {
    const { url } = await replicaHere();
    const session = await startSession(url);
    const authorization = await credential(session);
    expect((await sendForwarded(url, session, authorization, changed)).status).toBe(401);
  });

  it("is refused if it is for the process that had the URL before", async () => {
    const { url } = await replicaHere();
    const session = await startSession(url);
    const authorization = await credential(session, { instance: crypto.randomUUID() });
    expect((await sendForwarded(url, session, authorization)).status).toBe(421);
  });

  it("has no right to the session of another caller", async () => {
    const { url } = await replicaHere();
    const session = await startSession(url);
    const authorization = await credential(session, { caller: "bob" });
    expect((await sendForwarded(url, session, authorization)).status).toBe(404);
  });

  it("is not forwarded again", async () => {
    const { url } = await replicaHere();
    const own = await startSession(url);
    const third = await rawReplica();
    const session = await sessionAt(third.address);
    const parts = { method: "POST", headers: headersIn(session), body: list };
    const credentials = new ForwardCredentials(key, "sender");
    const authorization = await credentials.create(await findHolder(own), { id: "ann" }, parts);
    expect((await sendForwarded(url, session, authorization)).status).toBe(421);
    expect(third.received).toEqual([]);
  });
});

describe("a request of a client", () => {
  it("is forwarded to no URL that was not sealed with the key, for this caller", async () => {
    const { url } = await replicaHere();
    const attacker = await rawReplica();
    const sessions = [
      await sessionAt(attacker.address, "ann", "y".repeat(32)),
      await sessionAt(attacker.address, "bob"),
      Buffer.from(JSON.stringify(attacker.address)).toString("base64url"),
      attacker.address.url,
    ];
    for (const session of sessions) {
      expect((await askIn(url, session, "tools/list", {})).status).toBe(404);
    }
    const sealer = new Sealer("y".repeat(32), "toolweave mcp requestState 1");
    const state = {
      until: Date.now() + 60_000,
      state: { runId: "1", round: 0, replica: attacker.address },
    };
    const requestState = await sealer.seal(state, ['caller "ann"', "echo"]);
    const { error } = await ask(url, "tools/call", { name: "echo", arguments: {}, requestState });
    expect(error).toMatchObject({ data: { reason: "invalid_request_state" } });
    const taskId = `task_${"0".repeat(32)}.${requestState}`;
    await ask(url, "tasks/get", { taskId });
    expect(attacker.received).toEqual([]);
  });

  it("is forwarded with the headers of the protocol alone, and the response without others", async () => {
    const { url } = await replicaHere();
    const holder = await rawReplica((outgoing) => {
      const headers = {
        "content-type": "application/json",
        "set-cookie": "a=1",
        "x-internal": "1",
      };
      outgoing.writeHead(200, headers).end("{}");
    });
    const session = await sessionAt(holder.address);
    const response = await fetch(url, {
      method: "POST",
      headers: {
        ...Object.fromEntries(headersIn(session)),
        authorization: "Bearer ann",
        cookie: "secret=1",
        "proxy-authorization": "Basic secret",
        "x-forwarded-for": "10.0.0.1",
        "x-http-method-override": "DELETE",
        "mcp-param-note": "kept",
      },
      body: list,
    });
    expect(response.status).toBe(200);
    expect(response.headers.has("set-cookie") || response.headers.has("x-internal")).toBe(false);
    const [received] = holder.received;
    expect(received).toMatchObject({ method: "POST", url: "/mcp", body: list });
    const { authorization, ...headers } = received?.headers ?? {};
    expect(authorization).toMatch(/^Toolweave-Replica [\w-]+$/);
    expect(Object.keys(headers).toSorted()).toEqual([
      "accept",
      "connection",
      "content-length",
      "content-type",
      "host",
      "mcp-param-note",
      "mcp-protocol-version",
      "mcp-session-id",
    ]);
    expect(headers["mcp-param-note"]).toBe("kept");
  });

  it("needs a caller at the replica that it reaches: that one's credential is not for clients", async () => {
    const { url } = await replicaHere();
    const holder = await rawReplica();
    const session = await sessionAt(holder.address);
    const headers = Object.fromEntries(headersIn(session));
    expect((await fetch(url, { method: "POST", headers, body: list })).status).toBe(401);
    expect(holder.received).toEqual([]);
  });

  it("above the limit of its body is refused where it arrives, or where it is forwarded to", async () => {
    const small = await replicaHere({ maxBodyBytes: 2_000 });
    const large = await replicaHere();
    const params = { name: "echo", arguments: { text: "x".repeat(4_000) } };
    const held = await startSession(large.url);
    expect((await askIn(small.url, held, "tools/call", params)).status).toBe(413);
    const session = await startSession(small.url);
    expect((await askIn(large.url, session, "tools/call", params)).status).toBe(413);
    expect((await askIn(large.url, session, "tools/list", {})).status).toBe(200);
  });

  it("is not sent where a redirect points", async () => {
    const { url } = await replicaHere();
    const attacker = await rawReplica();
    const holder = await rawReplica((outgoing) =>
      outgoing.writeHead(307, { location: attacker.address.url }).end(),
    );
    const session = await sessionAt(holder.address);
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: { ...Object.fromEntries(headersIn(session)), authorization: "Bearer ann" },
      body: list,
    });
    expect([response.status, response.headers.get("location")]).toEqual([307, null]);
    expect(attacker.received).toEqual([]);
  });
});

describe("a forwarded request", () => {
  it("passes on what the other replica sends as it arrives, and ends with its client", async () => {
    const { url } = await replicaHere();
    let disconnected: Promise<unknown> | undefined;
    const holder = await rawReplica((outgoing) => {
      disconnected = once(outgoing, "close");
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      outgoing.write("data: first\n\n");
    });
    const client = new AbortController();
    const session = await sessionAt(holder.address);
    const response = await fetchIn(url, session, "GET", { signal: client.signal });
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(new TextDecoder().decode(value)).toBe("data: first\n\n");
    client.abort();
    await disconnected;
  });

  it("breaks off if the other replica does, and does not look complete", async () => {
    const { url } = await replicaHere();
    const holder = await rawReplica((outgoing) => {
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      outgoing.write("data: first\n\n", () => outgoing.destroy());
    });
    const response = await fetchIn(url, await sessionAt(holder.address), "GET");
    await expect(response.text()).rejects.toThrow(/terminated/);
  });

  it("without a response says that the call may have run, if the other replica has received it", async () => {
    const { url } = await replicaHere();
    const holder = await rawReplica((outgoing) => outgoing.destroy());
    const response = await askIn(url, await sessionAt(holder.address), "tools/list", {});
    expect(response).toMatchObject({ status: 502 });
    expect(String(response.error?.["message"])).toContain("it may have run");
    expect(holder.received).toHaveLength(1);
  });

  it("to a process that does not exist is answered with 404, as a session that has ended", async () => {
    const { url } = await replicaHere();
    const nowhere = { url: `http://127.0.0.1:${await freePort()}/mcp`, instance: "1" };
    const session = await sessionAt(nowhere);
    expect((await askIn(url, session, "tools/list", {})).status).toBe(404);
  });
});

it("a gateway without replicas answers a request that claims to be forwarded as one without a token", async () => {
  const { serveMcp, listenHttp } = await import("../../../src/gateway/index.ts");
  const { ToolExecutor, ToolRegistry } = await import("@toolweave/core");
  const registry = new ToolRegistry([]);
  const gateway = serveMcp(registry, new ToolExecutor({ registry }));
  const listener = await listenHttp(gateway, { token: "a token of the host's own" });
  onTestFinished(() => listener.close(0));
  const headers = { authorization: "Toolweave-Replica x", "content-type": "application/json" };
  expect((await fetch(listener.url, { method: "POST", headers, body: list })).status).toBe(401);
});
