import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { suspend, ToolError, type JsonObject, type ToolEvent } from "@toolweave/core";
import { call, executorFor, guarded, recorded, tool, listTypes } from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption, textFor } from "../support/outcomes.ts";
import { gate, TestStore } from "../support/pending-call-stores.ts";

const yes = [{ type: "approve" }] as const;
const down = (): never => {
  throw new Error("disk full at /secret/path");
};

describe("an interruption", () => {
  test("EX09 is returned only after it is stored", async () => {
    const pendingCalls = new TestStore();
    const { opened, open } = gate();
    pendingCalls.before.add = () => opened;
    const executor = executorFor(guarded(), { pendingCalls });
    const events = recorded(executor);
    let outcome: unknown;
    const made = executor.execute(call("pay")).then((it) => (outcome = it));
    await settled();
    expect([outcome, listTypes(events)]).toEqual([undefined, ["tool.requested"]]);
    open();
    await made;
    expect(outcome).toMatchObject({ status: "interrupted" });
    expect(listTypes(events)).toEqual(["tool.requested", "tool.interrupted"]);
  });

  test.each(["tool.interrupted", "tool.suspended"])(
    "that is pending already is not cancelled by a listener (%s)",
    async (type) => {
      const executor = executorFor([
        guarded(),
        tool("t", () => suspend([{ id: "q", type: "input", message: "?" }], null)),
      ]);
      const run = executor.startRun();
      const events = recorded(executor);
      executor.on((event) => {
        if (event.type === type) run.cancel();
      });
      const name = type === "tool.suspended" ? "t" : "pay";
      expect((await run.execute(call(name))).status).toBe("interrupted");
      expect(listTypes(events).at(-1)).toBe(type);
    },
  );

  test("EX09 that cannot be stored fails the call, which has not run; the error says so", async () => {
    const ran: JsonObject[] = [];
    const pendingCalls = new TestStore();
    pendingCalls.before.add = down;
    const executor = executorFor(guarded(ran), { pendingCalls });
    const events = recorded(executor);
    const outcome = await executor.execute(call("pay"));
    expect(failed(outcome).error).toMatchObject({
      code: "store_unavailable",
      retryable: true,
      message:
        "pay was not run: it has to wait for a person and cannot be kept, since the store of pending calls does not answer.",
      cause: expect.any(Error),
    });
    expect(textFor(outcome)).not.toContain("/secret/path");
    expect([ran, listTypes(events)]).toEqual([[], ["tool.requested", "tool.rejected"]]);
    delete pendingCalls.before.add;
    getInterruption(await executor.execute(call("pay")));
  });

  test("EX09 of a tool that has already run and that cannot be stored says that the tool did run", async () => {
    const pendingCalls = new TestStore();
    pendingCalls.before.add = down;
    const executor = executorFor(
      tool("t", () => suspend([{ id: "q", type: "input", message: "?" }], null)),
      { pendingCalls },
    );
    const events = recorded(executor);
    const { error } = failed(await executor.execute(call("t")));
    expect(error.code).toBe("store_unavailable");
    expect(error.message).toContain(
      "t did run until it had to wait for a person: check what it did",
    );
    expect(listTypes(events).at(-1)).toBe("tool.failed");
  });

  test("above the maximum fails with the store's own limit", async () => {
    const pendingCalls = new TestStore();
    pendingCalls.before.add = () => {
      throw new ToolError("limit_exceeded", "Enough calls wait already.");
    };
    const { error } = failed(await executorFor(guarded(), { pendingCalls }).execute(call("pay")));
    expect([error.code, error.message]).toEqual(["limit_exceeded", "Enough calls wait already."]);
  });

  test("EX09 whose expiry cannot be computed by the store's clock is not created", async () => {
    for (const now of [down, () => Promise.reject(new Error("down"))]) {
      const pendingCalls = new TestStore();
      pendingCalls.before.now = now;
      expect(readCode(await executorFor(guarded(), { pendingCalls }).execute(call("pay")))).toBe(
        "store_unavailable",
      );
    }
    const pendingCalls = Object.assign(new TestStore(), { now: async () => NaN });
    expect(readCode(await executorFor(guarded(), { pendingCalls }).execute(call("pay")))).toBe(
      "store_unavailable",
    );
  });

  test("EX10 of a call that is cancelled while a slow store stores it ends at once, and cannot be answered", async () => {
    const pendingCalls = new TestStore();
    const { opened, open } = gate();
    pendingCalls.before.add = () => opened;
    const executor = executorFor(guarded(), { pendingCalls });
    const events = recorded(executor);
    const run = executor.startRun();
    const outcome = run.execute(call("pay"));
    await settled();
    run.cancel("Never mind.");
    expect(failed(await outcome).error).toMatchObject({
      code: "cancelled",
      message: "Never mind.",
    });
    open();
    await settled();
    expect(await pendingCalls.list()).toEqual([]);
    expect(listTypes(events)).toEqual(["tool.requested", "tool.rejected"]);
  });

  test("EX10 of a call whose deadline passes while a slow store stores it ends at the deadline", async () => {
    const clock = new FakeClock();
    const pendingCalls = new TestStore(clock);
    pendingCalls.before.add = () => new Promise(() => {});
    const executor = executorFor(guarded(), { pendingCalls, clock });
    const outcome = executor.startRun().execute(call("pay"), { deadlineMs: 2000 });
    await settled();
    await clock.advance(2000);
    expect(readCode(await outcome)).toBe("timeout");
    expect(clock.timers).toBe(0);
  });

  test("EX10 of a call that is only prepared ends once, too, if it is cancelled meanwhile", async () => {
    const pendingCalls = new TestStore();
    pendingCalls.before.add = () => new Promise(() => {});
    const executor = executorFor(guarded(), { pendingCalls });
    const events = recorded(executor);
    const run = executor.startRun();
    const outcome = run.checkAdmission(call("pay"));
    await settled();
    run.cancel();
    expect(readCode(await outcome)).toBe("cancelled");
    expect(listTypes(events)).toEqual(["tool.requested", "tool.rejected"]);
  });

  test("EX10 of a tool that is cancelled while a slow store stores its suspension ends once", async () => {
    const pendingCalls = new TestStore();
    const { opened, open } = gate();
    pendingCalls.before.add = () => opened;
    const executor = executorFor(
      tool("t", () => suspend([{ id: "q", type: "input", message: "?" }], null)),
      { pendingCalls },
    );
    const events = recorded(executor);
    const run = executor.startRun();
    const outcome = run.execute(call("t"));
    await settled();
    run.cancel();
    expect(readCode(await outcome)).toBe("cancelled");
    open();
    await settled();
    expect(listTypes(events).slice(-2)).toEqual(["tool.started", "tool.failed"]);
  });
});

describe("a resumed call", () => {
  async function interrupted(ran: JsonObject[] = []) {
    const pendingCalls = new TestStore();
    const executor = executorFor(guarded(ran), { pendingCalls });
    const interruption = getInterruption(await executor.execute(call("pay")));
    return { pendingCalls, executor, interruption, ran, events: recorded(executor) };
  }

  test("is claimed before anything runs, and finished afterwards", async () => {
    const pendingCalls = new TestStore();
    const executor = executorFor(
      tool("pay", () => void pendingCalls.steps.push("run"), { needsApproval: true }),
      { pendingCalls },
    );
    const interruption = getInterruption(await executor.execute(call("pay")));
    completed(await executor.resume(interruption, yes));
    expect(pendingCalls.steps).toEqual(["add", "claim", "run", "finish"]);
  });

  test.each<[string, string, string]>([
    ["running", "approval_invalid", "Another process is resuming this call of pay now."],
    ["finished", "approval_invalid", "This interruption of pay was answered before"],
    ["expired", "approval_invalid", "The interruption of pay has expired"],
    ["unknown", "approval_invalid", "This interruption of pay is not pending here"],
    ["anything else", "approval_invalid", "This interruption of pay is not pending here"],
    [
      "unfinished",
      "outcome_unknown",
      "This call of pay was answered before, and the process that resumed it has ended: its outcome is not known. Check what it did; it is not run again.",
    ],
  ])("EX02 whose claim is answered with %s does not run", async (claims, code, message) => {
    const { pendingCalls, executor, interruption, ran, events } = await interrupted();
    pendingCalls.claims = claims as "running";
    const { error } = failed(await executor.resume(interruption, yes));
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(message)]);
    expect([ran, pendingCalls.steps]).toEqual([[], ["add", "claim"]]);
    expect(listTypes(events)).toEqual(["tool.rejected"]);
  });

  test("EX07 AP04 that has expired does not run, even if its store allows the claim", async () => {
    const clock = new FakeClock();
    const ran: JsonObject[] = [];
    const pendingCalls = new TestStore(clock);
    const executor = executorFor(guarded(ran), { pendingCalls, clock });
    const interruption = getInterruption(await executor.execute(call("pay")));
    pendingCalls.claims = "claimed";
    clock.skip(24 * 60 * 60 * 1000);
    expect(readCode(await executor.resume(interruption, yes))).toBe("approval_invalid");
    expect([ran, pendingCalls.steps]).toEqual([[], ["add"]]);
  });

  test("EX09 that cannot be claimed does not run, and can be tried again", async () => {
    const { pendingCalls, executor, interruption, ran } = await interrupted();
    pendingCalls.before.claim = down;
    const outcome = await executor.resume(interruption, yes);
    expect(failed(outcome).error).toMatchObject({ code: "store_unavailable", retryable: true });
    expect(textFor(outcome)).toBe(
      "pay was not run: the store of pending calls does not answer. Resume it again later.",
    );
    expect(ran).toEqual([]);
    delete pendingCalls.before.claim;
    completed(await executor.resume(interruption, yes));
    expect(ran).toHaveLength(1);
  });

  test("EX09 whose end cannot be stored still returns its outcome, and emits a warning", async () => {
    const { pendingCalls, executor, interruption, events } = await interrupted();
    pendingCalls.before.finish = down;
    completed(await executor.resume(interruption, yes));
    expect(events.at(-1)).toMatchObject({
      type: "store.failed",
      store: "pendingCalls",
      callId: "pay",
      message: "disk full at /secret/path",
    } satisfies Partial<ToolEvent>);
  });

  test("is finished when its tool throws, when it is rejected, and when its tool has changed", async () => {
    const pendingCalls = new TestStore();
    const executor = executorFor(
      tool("pay", () => Promise.reject(new Error("no")), { needsApproval: true }),
      { pendingCalls },
    );
    for (const answers of [yes, [{ type: "reject" }] as const]) {
      const interruption = getInterruption(await executor.execute(call("pay")));
      expect((await executor.resume(interruption, answers)).status).toBe("failed");
      expect(pendingCalls.steps.splice(0)).toEqual(["add", "claim", "finish"]);
    }
  });

  test("is stored again before it is finished if it has to wait again", async () => {
    const pendingCalls = new TestStore();
    let rate = 1;
    const executor = executorFor(guarded(), {
      pendingCalls,
      hooks: [{ beforeCall: () => ({ arguments: { rate } }) }],
    });
    const first = getInterruption(await executor.execute(call("pay")));
    rate = 2;
    getInterruption(await executor.resume(first, yes));
    expect(pendingCalls.steps).toEqual(["add", "claim", "add", "finish"]);
    expect(await pendingCalls.list()).toHaveLength(1);
  });

  test("EX10 that is cancelled while a slow store claims it ends at once, and never runs", async () => {
    const { pendingCalls, executor, interruption, ran } = await interrupted();
    const { opened, open } = gate();
    pendingCalls.before.claim = () => opened;
    const controller = new AbortController();
    const outcome = executor.resume(interruption, yes, { signal: controller.signal });
    await settled();
    controller.abort();
    expect(readCode(await outcome)).toBe("cancelled");
    open();
    await settled();
    expect([ran, await pendingCalls.list()]).toEqual([[], []]);
  });

  test("that is cancelled before it is claimed stays pending for another try", async () => {
    const { executor, interruption, ran } = await interrupted();
    const signal = AbortSignal.abort();
    expect(readCode(await executor.resume(interruption, yes, { signal }))).toBe("cancelled");
    completed(await executor.resume(interruption, yes));
    expect(ran).toHaveLength(1);
  });

  test("EX10 waits at most five seconds for a slow store to mark it as ended", async () => {
    const clock = new FakeClock();
    const pendingCalls = new TestStore(clock);
    const executor = executorFor(guarded(), { pendingCalls, clock });
    const interruption = getInterruption(await executor.execute(call("pay")));
    pendingCalls.before.finish = () => new Promise(() => {});
    let outcome: unknown;
    const resumed = executor.resume(interruption, yes).then((it) => (outcome = it));
    await settled();
    await clock.advance(4999);
    expect(outcome).toBeUndefined();
    await clock.advance(1);
    expect(completed(await resumed).status).toBe("completed");
    expect(clock.timers).toBe(0);
  });

  test("EX10 that was cancelled is also marked as ended before its event is emitted", async () => {
    const pendingCalls = new TestStore();
    const { opened, open } = gate();
    pendingCalls.before.finish = () => opened;
    const executor = executorFor(
      tool("pay", () => new Promise(() => {}), { needsApproval: true }),
      {
        pendingCalls,
      },
    );
    const interruption = getInterruption(await executor.execute(call("pay")));
    const controller = new AbortController();
    const outcome = executor.resume(interruption, yes, { signal: controller.signal });
    await settled();
    controller.abort();
    await settled();
    open();
    expect(readCode(await outcome)).toBe("cancelled");
    expect(await pendingCalls.list()).toEqual([]);
  });
});

test.each([
  ["pendingCalls", { add: () => {} }, "pendingCalls has no claim(); use a store."],
  ["grants", {}, "grants has no add(); use a store, or false."],
  ["audit", {}, "audit is no sink: it needs write(record)."],
])("%s without its methods is refused at construction", (option, value, message) => {
  expect(() => executorFor(guarded(), { [option]: value } as never)).toThrow(
    expect.objectContaining({ code: "invalid_configuration", message }),
  );
});
