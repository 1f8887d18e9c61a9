import { describe, expect, test } from "vitest";
import { checkClientErrors, checkGateways, type TaskCase } from "../src/checks/gateways.ts";
import type { ClientError, Fault, Violation } from "../src/history/history.ts";
import { toDigest, toResultText } from "../src/history/result-text.ts";
import { toErrorType, toStatus } from "../src/operations/gateway-answers.ts";
import { answer, clientError, effect } from "./support/history.ts";

const numbers = (violations: readonly Violation[]): readonly string[] =>
  violations.map(({ invariant }) => invariant);

const kill: Fault = { kind: "kill", worker: "gateway 1.1", from: 100, until: 105 };
const drain: Fault = { kind: "drain", worker: "gateway 1.1", from: 100, until: 5_000 };

describe("an error of a client", () => {
  const check = (change: Partial<ClientError>, ...faults: readonly Fault[]): readonly string[] =>
    numbers(checkClientErrors({ errors: [clientError(change)], faults }));

  test.each(["connection-lost", "may-have-run"] as const)(
    "of the type %s is reported, unless a gateway was killed meanwhile",
    (type) => {
      expect(check({ type })).toEqual(["client"]);
      expect(check({ type, until: 99 }, kill)).toEqual(["client"]);
      expect(check({ type, from: 106 }, kill)).toEqual(["client"]);
      expect(check({ type }, kill)).toEqual([]);
    },
  );

  test("is reported while a gateway drains, and not for a late request, or when that closes its connections", () => {
    expect(check({}, drain)).toEqual(["client"]);
    expect(check({ from: 101, until: 150 }, drain)).toEqual([]);
    expect(check({ from: 4_500, until: 4_600 }, drain)).toEqual([]);
    expect(check({ from: 5_001, until: 5_100 }, drain)).toEqual(["client"]);
  });

  test("404 is reported, unless the gateway that had its session has ended", () => {
    const type = "session-lost";
    expect(check({ type })).toEqual(["client"]);
    expect(check({ type, until: 99 }, kill)).toEqual(["client"]);
    expect(check({ type, holder: "gateway 2.1" }, kill)).toEqual(["client"]);
    expect(check({ type, from: 900, until: 901 }, kill)).toEqual([]);
    expect(check({ type, from: 900, until: 901 }, drain)).toEqual([]);
  });

  test("that a gateway is shutting down is reported, unless that one has drained", () => {
    const type = "shutting-down";
    expect(check({ type }, kill)).toEqual(["client"]);
    expect(check({ type, holder: "gateway 2.1" }, drain)).toEqual(["client"]);
    expect(check({ type }, drain)).toEqual([]);
  });

  test("of another type is always reported", () => {
    expect(check({ type: "other" }, kill, drain)).toEqual(["client"]);
  });

  test("has its type from its code and text", () => {
    expect(toErrorType('{"code":404,"message":"Not found"}')).toBe("session-lost");
    expect(toErrorType("The call may have run: check it.")).toBe("may-have-run");
    expect(toErrorType("TypeError: fetch failed")).toBe("connection-lost");
    expect(toErrorType("The gateway is shutting down.")).toBe("shutting-down");
    expect(toErrorType("There is no such task")).toBe("other");
  });
});

const completed = answer({ digest: toDigest(toResultText("worker 1.1", "call_1")) });
const none = { effects: [], answers: [], faults: [], errors: [], tasks: [] };

test("a result that does not name the gateway of the effect is reported", () => {
  const effects = [effect()];
  expect(checkGateways({ ...none, effects, answers: [completed] })).toEqual([]);
  const wrong = { ...completed, digest: toDigest(toResultText("worker 2.1", "call_1")) };
  expect(numbers(checkGateways({ ...none, effects, answers: [wrong] }))).toEqual(["answer"]);
});

describe("a task", () => {
  const stored = { id: "task_1", owner: "o", runId: "r", callId: "c", tool: "report" };
  const times = { createdAt: 80, updatedAt: 120, expiresAt: 9_999 };
  const asked = { runId: "run_1", callId: "call_1", taskId: "task_1", from: 80 };
  const found = (change: Partial<NonNullable<TaskCase["stored"]>>): TaskCase => ({
    ...asked,
    isCancelled: false,
    stored: { ...stored, ...times, status: "completed", ...change },
  });
  const check = (task: TaskCase, more: object = {}): readonly string[] =>
    numbers(checkGateways({ ...none, effects: [effect()], tasks: [task], ...more }));
  const unknown = {
    status: "failed",
    error: { code: "outcome_unknown", message: "It was cut off." },
  } as const;
  const ended: Fault = { kind: "kill", worker: "worker 1.1", from: 100, until: 105 };

  test("that was accepted, and is not in the store, is reported", () => {
    expect(check({ ...asked, isCancelled: false, stored: undefined })).toEqual(["task"]);
  });

  test("that has not ended is reported, unless the gateway that ran it was killed", () => {
    expect(check(found({ status: "working" }))).toEqual(["task"]);
    expect(check(found({ status: "working" }), { faults: [ended] })).toEqual(["task"]);
    expect(check(found({ status: "working", lost: true }), { faults: [ended] })).toEqual([]);
  });

  test("whose outcome is unknown is reported, unless the gateway that ran it was killed after it was accepted", () => {
    expect(check(found(unknown))).toEqual(["task"]);
    expect(check(found(unknown), { faults: [{ ...ended, worker: "worker 2.1" }] })).toEqual([
      "task",
    ]);
    expect(check(found(unknown), { faults: [{ ...ended, from: 1, until: 2 }] })).toEqual(["task"]);
    expect(check(found(unknown), { faults: [ended] })).toEqual([]);
  });

  test("that is cancelled is reported, unless its client has asked for that or its gateway has drained", () => {
    const cancelled = found({ status: "cancelled" });
    expect(check(cancelled)).toEqual(["task"]);
    expect(check(cancelled, { faults: [ended] })).toEqual(["task"]);
    expect(check(cancelled, { faults: [{ ...ended, kind: "drain" }] })).toEqual([]);
    expect(check({ ...cancelled, isCancelled: true })).toEqual([]);
  });

  test("that has completed without an effect, or was reported in another way, is reported", () => {
    expect(check(found({}))).toEqual([]);
    expect(check(found({}), { effects: [] })).toEqual(["task"]);
    const answers = [answer({ status: "failed", code: "outcome_unknown" })];
    expect(check(found({}), { answers })).toEqual(["task"]);
  });
});

test("an error that is a result has the code of its text", () => {
  const read = (text: string): string | undefined =>
    toStatus({ isError: true, content: [{ type: "text", text }] }).code;
  expect(read("The call may have run: check whether it did.")).toBe("outcome_unknown");
  expect(read("The gateway is shutting down: the call was not run.")).toBe("unavailable");
  expect(read("The user did not approve the call.")).toBe("approval_rejected");
  expect(read("Something else.")).toBe("unexpected");
});
