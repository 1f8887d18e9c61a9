import { FakeClock } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import type { Interruption, JsonObject, Tool, ToolOutcome } from "@toolweave/core";
import { guarded, call, executorFor, foreignTool } from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

const yes = [{ type: "approve" }] as const;

describe("an approval is refused", () => {
  test("AP04 the second time, with another answer", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor(guarded(ran));
    const interruption = getInterruption(await executor.execute(call("pay")));
    completed(await executor.resume(interruption, yes));
    const another = [{ type: "approve", by: "eve" }] as const;
    const { error, result } = failed(await executor.resume(interruption, another));
    expect([error.code, error.audience, ran.length]).toEqual(["approval_invalid", "host", 1]);
    expect(error.message).toBe(
      "This interruption of pay was answered before; check what it did before making the call again.",
    );
    expect([result.callId, result.durationMs]).toEqual(["pay", 0]);
  });

  test("AP04 for one of two that arrive at once", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor(guarded(ran));
    const interruption = getInterruption(await executor.execute(call("pay")));
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () => executor.resume(interruption, yes)),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual([
      "completed",
      ...Array.from({ length: 4 }, () => "failed"),
    ]);
    expect(ran).toHaveLength(1);
  });

  test("AP04 after it has expired, and not a moment before", async () => {
    const clock = new FakeClock();
    const ran: JsonObject[] = [];
    const executor = executorFor(guarded(ran), { clock });
    const [a, b, c] = await Promise.all(
      ["a", "b", "c"].map(async (id) =>
        getInterruption(await executor.execute(call("pay", {}, id))),
      ),
    );
    clock.skip(24 * 60 * 60 * 1000 - 1);
    completed(await executor.resume(a as Interruption, yes));
    clock.skip(1);
    expect(failed(await executor.resume(b as Interruption, yes)).error).toMatchObject({
      code: "approval_invalid",
      message: "The interruption of pay has expired; make the call again.",
    });
    getInterruption(await executor.execute(call("pay")));
    expect(readCode(await executor.resume(c as Interruption, yes))).toBe("approval_invalid");
    expect(ran).toHaveLength(1);
  });

  test("AP04 at another executor", async () => {
    const executor = executorFor(guarded());
    const interruption = getInterruption(await executor.execute(call("pay")));
    expect(readCode(await executorFor(guarded()).resume(interruption, yes))).toBe(
      "approval_invalid",
    );
    completed(await executor.resume(interruption, yes));
  });

  test.each<[string, (real: Interruption) => unknown]>([
    [
      "forged altogether",
      ({ call }) => ({ id: "x", runId: "r", call, requests: [], state: "guess" }),
    ],
    ["with the id of another one", (real) => ({ ...real, id: "other" })],
    ["with the state of another one", (real) => ({ ...real, state: "other" })],
    ["that is empty", () => ({})],
    ["that is undefined", () => undefined],
    ["that is a text", (real) => JSON.stringify(real)],
    ["whose state is not a string", (real) => ({ ...real, state: { toString: () => real.state } })],
    ["whose state has another ending", (real) => ({ ...real, state: `${real.state}A` })],
    ["whose state contains a space", (real) => ({ ...real, state: `${real.state} ` })],
    [
      "that cannot be read",
      () =>
        new Proxy(
          {},
          {
            get: () => {
              throw new Error("no");
            },
          },
        ),
    ],
    [
      "that nests without end",
      (real) => {
        let deep: unknown = {};
        for (let level = 0; level < 100_000; level++) deep = [deep];
        return { ...real, call: { ...real.call, arguments: deep } };
      },
    ],
  ])("%s", async (_, forge) => {
    const ran: JsonObject[] = [];
    const executor = executorFor(guarded(ran));
    const real = getInterruption(await executor.execute(call("pay")));
    expect(readCode(await executor.resume(forge(real) as Interruption, yes))).toBe(
      "approval_invalid",
    );
    expect(ran).toEqual([]);
  });

  test("AP01 for arguments other than the displayed ones", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor(guarded(ran));
    const args = { amount: 5 };
    const asked = call("pay", args);
    const real = getInterruption(await executor.execute(asked));
    args.amount = 5000;
    (asked as { name: string }).name = "other";
    const forged = { ...real, call: { ...real.call, arguments: { amount: 5000 } } };
    expect(readCode(await executor.resume(forged, yes))).toBe("approval_invalid");
    expect(ran).toEqual([]);
    completed(await executor.resume(real, yes));
    expect(ran).toEqual([{ amount: 5 }]);
  });

  test("AP01 for an object that returns something else each time it is read", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor(guarded(ran));
    const real = getInterruption(await executor.execute(call("pay", { amount: 5 })));
    let reads = 0;
    const shifty = {
      ...real,
      get call() {
        reads += 1;
        return reads === 1 ? real.call : { ...real.call, arguments: { amount: 5000 } };
      },
    };
    await executor.resume(shifty, yes);
    expect(ran.filter(({ amount }) => amount !== 5)).toEqual([]);
  });

  test("if the tool has changed meanwhile, and cannot be used again", async () => {
    const ran: JsonObject[] = [];
    const versions = ["Pays.", "Pays, and tells the world."].map((description) =>
      foreignTool("pay", { spec: { description }, invoke: (args) => void ran.push(args) }),
    ) as [Tool, Tool];
    const source = new TestSource("s", [versions[0]]);
    const executor = executorFor(source);
    const interruption = getInterruption(await executor.execute(call("pay")));
    source.set(versions[1]);
    expect(failed(await executor.resume(interruption, yes)).error).toMatchObject({
      code: "approval_invalid",
      message: "pay has changed since it was shown; make the call again.",
    });
    source.set(versions[0]);
    expect(readCode(await executor.resume(interruption, yes))).toBe("approval_invalid");
    expect(ran).toEqual([]);
  });

  test("if the tool changes during the approval: the approved version runs", async () => {
    const ran: string[] = [];
    const make = (description: string): Tool =>
      foreignTool("pay", { spec: { description }, invoke: () => void ran.push(description) });
    const source = new TestSource("s", [make("approved")]);
    const executor = executorFor(source);
    const interruption = getInterruption(await executor.execute(call("pay")));
    const outcome = executor.resume(interruption, yes);
    source.set(make("changed"));
    await outcome;
    expect(ran).not.toContain("changed");
  });

  test("if the tool's description can no longer be read", async () => {
    const source = new TestSource("s", [foreignTool("pay")]);
    const executor = executorFor(source);
    const interruption = getInterruption(await executor.execute(call("pay")));
    const broken = foreignTool("pay");
    Object.defineProperty(broken.spec, "inputSchema", {
      enumerable: true,
      get: () => {
        throw new Error("gone");
      },
    });
    source.set(broken);
    expect(readCode(await executor.resume(interruption, yes))).toBe("approval_invalid");
  });

  test("if the tool was removed, like a call of an unknown tool", async () => {
    const source = new TestSource("s", [foreignTool("pay")]);
    const executor = executorFor(source);
    const interruption = getInterruption(await executor.execute(call("pay")));
    source.set();
    expect(readCode(await executor.resume(interruption, yes))).toBe("not_found");
  });

  test.each<[string, (outcome: ToolOutcome) => unknown]>([
    ["the outcome", (outcome) => outcome],
    ["its id", (outcome) => getInterruption(outcome).id],
    ["nothing", () => undefined],
  ])("if %s is passed in its place, and the text says what to pass", async (_, given) => {
    const executor = executorFor(guarded());
    const outcome = await executor.execute(call("pay"));
    const { error } = failed(await executor.resume(given(outcome) as never, yes));
    expect([error.code, error.message]).toEqual([
      "approval_invalid",
      "This is no interruption: pass outcome.interruption, unchanged.",
    ]);
    completed(await executor.resume(getInterruption(outcome), yes));
  });

  test("AP15 by a new process that has no key, with the option to set", async () => {
    const interruption = getInterruption(await executorFor(guarded()).execute(call("pay")));
    const restarted = executorFor(guarded());
    expect(failed(await restarted.resume(interruption, yes)).error.message).toBe(
      "This interruption of pay cannot be opened: it was changed, or belongs to another process. To resume calls of other processes, set the same `key` and the same `pendingCalls` on every executor.",
    );
  });
});
