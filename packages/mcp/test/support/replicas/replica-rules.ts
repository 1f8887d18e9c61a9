import { once } from "node:events";
import type { JsonObject } from "@toolweave/core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { readText } from "../open-gateway.ts";
import type { Cluster } from "./cluster.ts";
import { ask, askIn, capable, fetchIn, startSession, type Answer } from "./replica-requests.ts";
import { clientKinds, plainClient, type PlainClient } from "@toolweave/test-support/mcp-client";

/** Waits until a check passes. */
const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, 60_000);

/**
 * The tests of replicas, for one kind of store.
 *
 * @param start Starts the gateways.
 * @param canCancel False: the store cannot ask another process to cancel a task.
 */
export function describeReplicas(start: () => Promise<Cluster>, canCancel = true): void {
  let gateways: Cluster;
  let a: Cluster["replicas"][0];
  let b: Cluster["replicas"][0];
  let c: Cluster["replicas"][0];
  beforeAll(async () => {
    gateways = await start();
    [a, b, c] = gateways.replicas;
  });
  afterAll(() => gateways.close());

  const runs = (tool: string, id: string): number =>
    gateways.effects().filter((line) => line.endsWith(` ${tool} ${id}`)).length;

  const call = (name: string, id: string): JsonObject => ({ name, arguments: { id } });

  describe.each(clientKinds)("a client of the SDK %s, behind a load balancer,", (kind) => {
    const connected = async (): Promise<PlainClient> => {
      const client = await plainClient(kind, { url: gateways.balancer.url });
      onTestFinished(() => client.close());
      return client;
    };

    it("has each of its calls answered, in turn by every replica or by the one that holds its session", async () => {
      const client = await connected();
      const names = new Set<string>();
      for (let index = 0; index < 6; index++) {
        const { answer, error } = await client.request("tools/call", call("where", kind));
        expect(error).toBeUndefined();
        names.add(readText(answer as JsonObject));
      }
      expect(names.size).toBe(kind === "2.x, 2026-07-28" ? 3 : 1);
      expect(runs("where", kind)).toBe(6);
    });

    it("is asked by a tool that runs, and its answer reaches the tool", async () => {
      const client = await connected();
      for (let index = 0; index < 3; index++) {
        const id = `${kind} ${index}`;
        const { answer, asked, progress } = await client.request("tools/call", call("ask", id));
        expect(readText(answer as JsonObject)).toMatch(/^[abc]: accept$/);
        expect(asked).toHaveLength(1);
        expect(progress.map((one) => (one as JsonObject)["message"])).toEqual(["Asking", "Asked"]);
        expect(runs("ask", id)).toBe(1);
      }
    });
  });

  /** Starts a call that asks its client, at a replica; returns what the client sends with its answer. */
  async function asked(url: string, name: string, id: string): Promise<JsonObject> {
    const { result } = await ask(url, "tools/call", call(name, id));
    expect(result).toMatchObject({ resultType: "input_required" });
    const { requestState, inputRequests } = result as { readonly [key: string]: JsonObject };
    const [key = ""] = Object.keys(inputRequests as JsonObject);
    return {
      ...call(name, id),
      requestState,
      inputResponses: { [key]: { action: "accept" } },
    } as JsonObject;
  }

  describe("a client of 2026-07-28", () => {
    it("approves a call at another replica, and it runs once", async () => {
      const answer = await asked(a.url, "approve", "approved");
      const [key = ""] = Object.keys(answer["inputResponses"] as JsonObject);
      const inputResponses = { [key]: { action: "accept", content: { decision: "approve" } } };
      const approved = { ...answer, inputResponses };
      expect(readText((await ask(b.url, "tools/call", approved)).result ?? {})).toBe("b");
      expect(readText((await ask(c.url, "tools/call", approved)).result ?? {})).toBe("b");
      expect(runs("approve", "approved")).toBe(1);
    });

    it("cannot answer a call of another caller, at any replica", async () => {
      const answer = await asked(a.url, "ask", "foreign");
      for (const { url } of [a, b]) {
        const { error } = await ask(url, "tools/call", answer, { caller: "bob" });
        expect(error).toMatchObject({ data: { reason: "invalid_request_state" } });
      }
      expect(readText((await ask(c.url, "tools/call", answer)).result ?? {})).toBe("a: accept");
    });

    it("uses an answer once", async () => {
      const answer = await asked(a.url, "ask", "twice");
      expect((await ask(b.url, "tools/call", answer)).result).not.toHaveProperty("isError");
      const { error } = await ask(c.url, "tools/call", answer);
      expect(error).toMatchObject({ data: { reason: "invalid_request_state" } });
    });

    const task = async (url: string, name: string, id: string): Promise<string> => {
      const { result } = await ask(url, "tools/call", call(name, id), { capabilities: capable });
      expect(result).toMatchObject({ resultType: "task" });
      return result?.["taskId"] as string;
    };
    const about = (url: string, method: string, params: JsonObject): Promise<Answer> =>
      ask(url, method, params, { capabilities: capable });

    it.skipIf(!canCancel)(
      "cancels a task at another replica, and its tool is stopped",
      async () => {
        const taskId = await task(a.url, "work", "cancelled");
        await eventually(() => expect(runs("work", "cancelled")).toBe(1));
        const stopped = once(a.process, "message");
        expect((await about(b.url, "tasks/cancel", { taskId })).error).toBeUndefined();
        expect(await stopped).toEqual(["work was stopped", undefined]);
        for (const { url } of [a, b, c]) {
          const { result } = await about(url, "tasks/get", { taskId });
          expect(result).toMatchObject({ taskId, status: "cancelled" });
        }
      },
    );

    it.each(["live_task", "ask_as_task"])(
      "reads the questions of a task at another replica, and answers at a third (%s)",
      async (name) => {
        const taskId = await task(a.url, name, "answered");
        const questions = await eventually(async () => {
          const { result } = await about(b.url, "tasks/get", { taskId });
          expect(result).toMatchObject({ taskId, status: "input_required" });
          return result?.["inputRequests"] as JsonObject;
        });
        const [key = ""] = Object.keys(questions);
        const inputResponses = { [key]: { action: "accept", content: { answer: 7 } } };
        expect(
          (await about(c.url, "tasks/update", { taskId, inputResponses })).error,
        ).toBeUndefined();
        const ended = await eventually(async () => {
          const { result } = await about(b.url, "tasks/get", { taskId });
          expect(result).toMatchObject({ taskId, status: "completed" });
          return result?.["result"] as JsonObject;
        });
        expect(readText(ended)).toBe(name === "live_task" ? "a: accept" : "a: 7");
        expect((await about(c.url, "tasks/get", { taskId })).result).toMatchObject({
          result: ended,
        });
      },
    );

    it("does not see a task of another caller", async () => {
      const taskId = await task(a.url, "ask_as_task", "hidden");
      for (const { url } of [a, b]) {
        const { error } = await ask(
          url,
          "tasks/get",
          { taskId },
          { caller: "bob", capabilities: capable },
        );
        expect(error).toMatchObject({ code: -32602, message: "There is no such task" });
      }
    });

    it("answers a task whose process was killed at any other one, and it resumes there", async () => {
      const taskId = await task(c.url, "ask_as_task", "orphaned");
      const waiting = (): Promise<string> =>
        eventually(async () => {
          const { result } = await about(a.url, "tasks/get", { taskId });
          const [key] = Object.keys((result?.["inputRequests"] as JsonObject | undefined) ?? {});
          expect(key).toBeDefined();
          return key as string;
        });
      const key = await waiting();
      await c.kill();
      expect(await waiting()).toBe(key);
      const inputResponses = { [key]: { action: "accept", content: { answer: 8 } } };
      expect(
        (await about(b.url, "tasks/update", { taskId, inputResponses })).error,
      ).toBeUndefined();
      await eventually(async () => {
        const { result } = await about(a.url, "tasks/get", { taskId });
        expect(readText((result?.["result"] as JsonObject | undefined) ?? { content: [] })).toBe(
          "b: 8",
        );
      });
      await c.restart();
    });

    it("reads that a call may have run if the process that ran it was killed, also after that was restarted", async () => {
      const answer = await asked(c.url, "ask", "lost");
      await c.kill();
      const { result } = await ask(a.url, "tools/call", answer);
      expect(result).toMatchObject({ isError: true });
      expect(readText(result ?? {})).toContain("The call may have run");
      await c.restart();
      for (const { url } of [b, c]) {
        expect(readText((await ask(url, "tools/call", answer)).result ?? {})).toContain(
          "may have run",
        );
      }
      expect(runs("ask", "lost")).toBe(1);
    });
  });

  describe("a session of 2025-11-25", () => {
    it("has its stream and its end at every replica", async () => {
      const session = await startSession(a.url);
      const closed = new AbortController();
      const { status, headers } = await fetchIn(b.url, session, "GET", { signal: closed.signal });
      expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream"]);
      closed.abort();
      expect((await askIn(c.url, session, "tools/list", {})).result).toHaveProperty("tools");
      expect((await fetchIn(b.url, session, "DELETE")).status).toBe(200);
      for (const { url } of [a, b, c]) {
        expect((await askIn(url, session, "tools/list", {})).status).toBe(404);
      }
    });

    it("is unknown to other callers, at every replica", async () => {
      const session = await startSession(a.url);
      for (const { url } of [a, b, c]) {
        expect((await askIn(url, session, "tools/list", {}, { caller: "bob" })).status).toBe(404);
      }
    });

    it("is unknown after its process was killed, so that its client starts another one", async () => {
      const session = await startSession(c.url);
      await c.kill();
      const unknown = { status: 404, error: { code: -32001, message: "Session not found" } };
      expect(await askIn(a.url, session, "tools/list", {})).toMatchObject(unknown);
      await c.restart();
      for (const { url } of [b, c]) {
        expect(await askIn(url, session, "tools/list", {})).toMatchObject(unknown);
      }
      const next = await startSession(gateways.balancer.url);
      expect((await askIn(gateways.balancer.url, next, "tools/list", {})).status).toBe(200);
    });
  });

  describe("a replica that is draining", () => {
    it("is not ready, starts no session, and continues those that it has until it exits with 0", async () => {
      const at = (path: string): Promise<Response> => fetch(new URL(path, c.url));
      const session = await startSession(c.url);
      expect([(await at("/readyz")).status, (await at("/healthz")).status]).toEqual([200, 200]);
      c.process.send("drain");
      await eventually(async () => expect((await at("/readyz")).status).toBe(503));
      expect((await at("/healthz")).status).toBe(200);
      expect(await startSession(c.url)).toBe("");
      expect((await askIn(b.url, session, "tools/list", {})).status).toBe(200);
      expect((await ask(c.url, "tools/call", call("where", "draining"))).status).toBe(200);
      const exited = once(c.process, "exit");
      c.process.send("close");
      expect(await exited).toEqual([0, null]);
      expect((await askIn(b.url, session, "tools/list", {})).status).toBe(404);
      await c.restart();
    });
  });
}
