import { describe, expect, test } from "vitest";
import type { Approval, CallStarted, CallState } from "../../src/index.ts";
import { TestConsole, type Sender } from "../support/test-console.ts";

const sum = { name: "add", arguments: { a: 1, b: 2 } };

async function start(
  console: TestConsole,
  json: object,
  as: Sender = "session",
): Promise<CallStarted> {
  const { status, body } = await console.send<CallStarted>("/api/calls", { json, as });
  if (status !== 202) throw new Error(JSON.stringify(body));
  return body;
}

async function answer(console: TestConsole, id: string, answers: readonly object[]): Promise<void> {
  const { digest } = (await console.send<Approval>(`/api/approvals/${id}`)).body;
  const json = { digest, answers };
  expect((await console.send(`/api/approvals/${id}/answers`, { json })).status).toBe(200);
}

const read = async (console: TestConsole, id: string): Promise<CallState> =>
  (await console.send<CallState>(`/api/calls/${id}`)).body;

describe("a call", () => {
  test("is started at once, and its outcome is read later", async () => {
    const console = new TestConsole();
    const { callId, runId } = await start(console, { name: "wait", arguments: {} });
    expect(await read(console, callId)).toEqual({
      callId,
      runId,
      name: "wait",
      status: "running",
      startedAt: console.clock.now(),
    });
    await console.clock.advance(50);
    console.waiting.resolve();
    expect(await console.ended<CallState>(callId)).toMatchObject({
      status: "completed",
      endedAt: console.clock.now(),
      outcome: {
        status: "completed",
        ok: true,
        result: { isError: false, content: [{ type: "text", text: "done" }] },
      },
    });
  });

  test("is made for the sender of the request", async () => {
    const callers: unknown[] = [];
    const console = new TestConsole([], {
      policy: ({ caller }) => {
        callers.push(caller);
        return { effect: "allow" };
      },
    });
    await console.ended((await start(console, sum)).callId);
    await console.ended((await start(console, sum, "agent")).callId);
    expect(callers).toContainEqual({ id: "ada" });
    expect(callers).toContainEqual({ id: "ada", agent: "helper" });
  });

  test("that fails has the error of the executor", async () => {
    const console = new TestConsole();
    const { callId } = await start(console, { name: "add", arguments: { a: "x" } });
    expect(await console.ended<CallState>(callId)).toMatchObject({
      status: "failed",
      outcome: { status: "failed", ok: false, error: { code: "invalid_arguments" } },
    });
    const unknown = await start(console, { name: "ad", arguments: {} });
    expect(await console.ended<CallState>(unknown.callId)).toMatchObject({
      outcome: { error: { code: "not_found" } },
    });
  });

  test("with an integer that would be rounded does not run with another integer", async () => {
    const console = new TestConsole();
    const { body } = await console.send<CallStarted>("/api/calls", {
      headers: { "content-type": "application/json" },
      body: '{"name":"add","arguments":{"a":9007199254740993,"b":1}}',
    });
    expect(await console.ended<CallState>(body.callId)).toMatchObject({
      outcome: { error: { code: "invalid_arguments" } },
    });
    expect(console.effects).toEqual([]);
  });

  test("that is as a task ends with the id of the task", async () => {
    const console = new TestConsole();
    const { callId } = await start(console, { ...sum, asTask: true });
    const { outcome } = await console.ended<CallState>(callId);
    expect(outcome?.result?.taskId).toMatch(/^task_/);
  });

  test("ends at its timeout", async () => {
    const console = new TestConsole();
    const { callId } = await start(console, { name: "wait", arguments: {}, timeoutMs: 500 });
    await console.running.promise;
    await console.clock.advance(500);
    expect(await console.ended<CallState>(callId)).toMatchObject({
      status: "failed",
      outcome: { error: { code: "timeout" } },
    });
  });
});

describe("the same id", () => {
  test("with the same body is the same call, which runs once, however often it is sent", async () => {
    const console = new TestConsole();
    const json = { ...sum, id: "mine" };
    const started = await Promise.all(Array.from({ length: 5 }, () => start(console, json)));
    expect(new Set(started.map(({ runId }) => runId)).size).toBe(1);
    expect(started[0]?.callId).toBe("mine");
    await console.ended("mine");
    // Members in another order are the same body.
    await start(console, { id: "mine", arguments: { b: 2, a: 1 }, name: "add" });
    expect(console.effects).toEqual(["add 1 2"]);
  });

  test.each([
    ["other arguments", { ...sum, arguments: { a: 1, b: 3 } }],
    ["another tool", { ...sum, name: "pay" }],
    ["another timeout", { ...sum, timeoutMs: 5 }],
    ["a task", { ...sum, asTask: true }],
  ])("with %s is 409, and nothing runs", async (_, json) => {
    const console = new TestConsole();
    await start(console, { ...sum, id: "mine" });
    await console.ended("mine");
    const { status, body } = await console.send("/api/calls", { json: { ...json, id: "mine" } });
    expect([status, body["code"]]).toEqual([409, "call_conflict"]);
    expect(console.effects).toEqual(["add 1 2"]);
  });

  test("of another caller is 409", async () => {
    const console = new TestConsole();
    await start(console, { ...sum, id: "mine" });
    const json = { ...sum, id: "mine" };
    expect((await console.send("/api/calls", { json, as: "agent" })).status).toBe(409);
  });

  test("runs once even after the outcomes of 200 later calls", async () => {
    const console = new TestConsole();
    await start(console, { ...sum, id: "first" });
    for (let count = 0; count < 201; count++) {
      await console.ended((await start(console, { ...sum, id: `later-${count}` })).callId);
    }
    const state = await read(console, "first");
    expect(state.status).toBe("completed");
    expect(state).not.toHaveProperty("outcome");
    expect(await read(console, "later-200")).toHaveProperty("outcome");
    console.effects.length = 0;
    await start(console, { ...sum, id: "first" });
    expect(console.effects).toEqual([]);
  });
});

describe("a call that waits for a person", () => {
  test("names its approval, and has the outcome once that is answered", async () => {
    const console = new TestConsole();
    const json = { name: "pay", arguments: { to: "mira", pin: "4711" } };
    const { callId } = await start(console, json);
    const waiting = await console.ended<CallState>(callId);
    expect(waiting).toMatchObject({
      status: "interrupted",
      approvalId: expect.any(String),
      outcome: { status: "interrupted", approval: { id: waiting.approvalId, status: "pending" } },
    });
    expect(waiting).not.toHaveProperty("endedAt");
    expect(JSON.stringify(waiting)).not.toMatch(/4711|tw1\./);
    await answer(console, waiting.approvalId ?? "", [{ type: "approve" }]);
    const ended = await read(console, callId);
    expect(ended).toMatchObject({
      status: "completed",
      outcome: { result: { value: { paid: "mira" } } },
    });
    expect(ended).not.toHaveProperty("approvalId");
    expect(console.effects).toEqual(["pay mira"]);
  });

  test("names the approval to answer when a nested call asks", async () => {
    const console = new TestConsole();
    const { callId } = await start(console, { name: "shop", arguments: {} });
    const { approvalId = "" } = await console.ended<CallState>(callId);
    await answer(console, approvalId, [{ type: "approve" }]);
    expect((await read(console, callId)).status).toBe("completed");
    expect(console.effects).toEqual(["pay shop"]);
  });

  test("has failed when it is rejected", async () => {
    const console = new TestConsole();
    const { callId } = await start(console, { name: "pay", arguments: { to: "mira" } });
    const { approvalId = "" } = await console.ended<CallState>(callId);
    await answer(console, approvalId, [{ type: "reject" }]);
    expect(await read(console, callId)).toMatchObject({
      status: "failed",
      outcome: { error: { code: "approval_rejected" } },
    });
    expect(console.effects).toEqual([]);
  });

  test("still waits after answers that were refused", async () => {
    const console = new TestConsole();
    const { callId } = await start(console, { name: "pay", arguments: { to: "mira" } });
    const { approvalId = "" } = await console.ended<CallState>(callId);
    const { digest } = (await console.send<Approval>(`/api/approvals/${approvalId}`)).body;
    const json = { digest, answers: [{ type: "input", value: 1 }] };
    expect((await console.send(`/api/approvals/${approvalId}/answers`, { json })).status).toBe(422);
    expect(await read(console, callId)).toMatchObject({ status: "interrupted", approvalId });
  });

  test("is not cancelled but rejected", async () => {
    const console = new TestConsole();
    const { callId } = await start(console, { name: "pay", arguments: { to: "mira" } });
    await console.ended(callId);
    const { status, body } = await console.send(`/api/calls/${callId}/cancel`, { json: {} });
    expect([status, body["code"]]).toEqual([409, "call_waiting"]);
  });

  test("of a program cannot be approved by that program", async () => {
    const console = new TestConsole();
    const { callId } = await start(console, { name: "pay", arguments: { to: "mira" } }, "agent");
    const { approvalId = "" } = await console.ended<CallState>(callId);
    const { digest } = (
      await console.send<Approval>(`/api/approvals/${approvalId}`, { as: "agent" })
    ).body;
    const json = { digest, answers: [{ type: "approve" }] };
    const path = `/api/approvals/${approvalId}/answers`;
    expect((await console.send(path, { json, as: "agent" })).status).toBe(403);
    expect(console.effects).toEqual([]);
    await answer(console, approvalId, [{ type: "approve" }]);
    expect(console.effects).toEqual(["pay mira"]);
  });
});

describe("cancelling", () => {
  test("ends a call that runs, and is repeated without an effect", async () => {
    const console = new TestConsole();
    const { callId } = await start(console, { name: "wait", arguments: {} });
    const cancel = () => console.send<CallState>(`/api/calls/${callId}/cancel`, { json: {} });
    expect((await cancel()).status).toBe(202);
    expect(await console.ended<CallState>(callId)).toMatchObject({
      status: "cancelled",
      outcome: { error: { code: "cancelled" } },
    });
    expect(await cancel()).toMatchObject({ status: 202, body: { status: "cancelled" } });
  });

  test("does nothing to a call that has ended", async () => {
    const console = new TestConsole();
    const { callId } = await start(console, sum);
    await console.ended(callId);
    const { body } = await console.send<CallState>(`/api/calls/${callId}/cancel`, { json: {} });
    expect(body.status).toBe("completed");
  });

  test("needs the scope call", async () => {
    const console = new TestConsole();
    const { callId } = await start(console, { name: "wait", arguments: {} });
    const path = `/api/calls/${callId}/cancel`;
    expect((await console.send(path, { json: {}, as: "reader" })).status).toBe(403);
    expect((await read(console, callId)).status).toBe("running");
    console.waiting.resolve();
    await console.ended(callId);
  });
});

describe("a program", () => {
  test("does not see the calls of others, and people see those of programs", async () => {
    const console = new TestConsole();
    const { callId: ofPerson } = await start(console, sum);
    const { callId: ofAgent } = await start(console, sum, "agent");
    await console.ended(ofPerson);
    await console.ended(ofAgent);
    const get = async (id: string, as: Sender) =>
      (await console.send(`/api/calls/${id}`, { as })).status;
    expect(await get(ofPerson, "agent")).toBe(404);
    expect(await get(ofPerson, "reader")).toBe(404);
    expect(await get(ofAgent, "agent")).toBe(200);
    expect(await get(ofAgent, "session")).toBe(200);
    const path = `/api/calls/${ofPerson}/cancel`;
    expect((await console.send(path, { json: {}, as: "agent" })).status).toBe(404);
  });
});

test("more than 100 calls at once are refused with 429, and none of them runs", async () => {
  const console = new TestConsole();
  const json = { name: "wait", arguments: {} };
  const started = [];
  for (let count = 0; count < 100; count++) started.push(await start(console, json));
  const refused = await console.send("/api/calls", { json });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  console.waiting.resolve();
  for (const { callId } of started) await console.ended(callId);
  expect(console.effects).toHaveLength(100);
  expect((await console.send("/api/calls", { json: sum })).status).toBe(202);
});

test.each([
  ["no name", { arguments: {} }],
  ["an empty name", { name: "", arguments: {} }],
  ["a name of 201 characters", { name: "a".repeat(201), arguments: {} }],
  ["no arguments", { name: "add" }],
  ["an id that is a path", { ...sum, id: "../x" }],
  ["an id of 101 characters", { ...sum, id: "a".repeat(101) }],
  ["an id that is a number", { ...sum, id: 1 }],
  ["a timeout of 0", { ...sum, timeoutMs: 0 }],
  ["a timeout that is a text", { ...sum, timeoutMs: "5" }],
  ["a task that is a text", { ...sum, asTask: "yes" }],
  ["a caller", { ...sum, caller: { id: "bob" } }],
  ["a toolset", { ...sum, toolset: [] }],
])("a body with %s is 422, and nothing runs", async (_, json) => {
  const console = new TestConsole();
  const { status, body } = await console.send("/api/calls", { json });
  expect([status, body["code"]]).toEqual([422, "invalid_body"]);
  expect(console.effects).toEqual([]);
});

test("an unknown call is 404", async () => {
  const console = new TestConsole();
  expect((await console.send("/api/calls/x")).status).toBe(404);
  expect((await console.send("/api/calls/x/cancel", { json: {} })).status).toBe(404);
});
