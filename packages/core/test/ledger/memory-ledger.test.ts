import { expect, test } from "vitest";
import { memoryLedger, type LedgerCall } from "@toolweave/core/stores";
import { FakeClock } from "@toolweave/test-support/fake-clock";

const day = 24 * 60 * 60 * 1000;

function call(more: Partial<LedgerCall> = {}): LedgerCall {
  const ids = { runId: "r", callId: "c", token: "1" };
  return { ...ids, tool: "pay", specHash: "s", argumentsHash: "a", ...more };
}

test("the same token begins a call again, another one does not", () => {
  const ledger = memoryLedger();
  expect(ledger.begin(call())).toEqual({ status: "begun" });
  expect(ledger.begin(call())).toEqual({ status: "begun" });
  expect(ledger.begin(call({ token: "2" }))).toEqual({ status: "running" });
});

test("a call that was taken over cannot be ended by the first claimant", () => {
  const ledger = memoryLedger();
  ledger.begin(call());
  expect(ledger.begin(call({ token: "2", repeat: "rerun" }))).toEqual({ status: "begun" });
  expect(ledger.end(call(), { status: "ended", outcome: "first" })).toBe(false);
  expect(ledger.end(call({ token: "2" }), { status: "ended", outcome: "second" })).toBe(true);
  expect(ledger.begin(call({ token: "3", repeat: "rerun" }))).toEqual({
    status: "ended",
    outcome: "second",
  });
});

test("a suspended call is taken over by its resumption only", () => {
  const ledger = memoryLedger();
  ledger.begin(call());
  ledger.end(call(), { status: "suspended", outcome: "asks" });
  const rerun = ledger.begin(call({ token: "2", repeat: "rerun" }));
  expect(rerun).toEqual({ status: "ended", outcome: "asks" });
  const resumed = ledger.begin(call({ token: "2", repeat: "resume", argumentsHash: "b" }));
  expect(resumed).toEqual({ status: "begun" });
});

test("an outcome that is known late replaces an unknown one", () => {
  const ledger = memoryLedger();
  ledger.begin(call());
  expect(ledger.end(call(), { status: "unknown" })).toBe(true);
  expect(ledger.begin(call({ token: "2" }))).toEqual({ status: "unknown" });
  expect(ledger.end(call(), { status: "ended", outcome: "late" })).toBe(true);
  expect(ledger.begin(call({ token: "2" }))).toEqual({ status: "ended", outcome: "late" });
});

test("calls are forgotten seven days after their last change", async () => {
  const clock = new FakeClock();
  const ledger = memoryLedger(clock);
  ledger.begin(call());
  await clock.advance(6 * day);
  ledger.end(call(), { status: "ended", outcome: "o" });
  await clock.advance(6 * day);
  expect(ledger.begin(call({ token: "2" }))).toEqual({ status: "ended", outcome: "o" });
  await clock.advance(day + 1);
  expect(ledger.begin(call({ token: "2" }))).toEqual({ status: "begun" });
});

test("a full ledger refuses new calls, and still ends those that were begun", () => {
  const ledger = memoryLedger();
  const outcome = "x".repeat(2 ** 22);
  for (let count = 0; count < 16; count++) {
    const id = { callId: `c${count}` };
    ledger.begin(call(id));
    ledger.end(call(id), { status: "ended", outcome });
  }
  expect(() => ledger.begin(call())).toThrow(expect.objectContaining({ code: "limit_exceeded" }));
  expect(ledger.begin(call({ callId: "c1" }))).toEqual({ status: "ended", outcome });
});
