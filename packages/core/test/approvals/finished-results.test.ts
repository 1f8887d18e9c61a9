import { FakeClock } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import {
  suspend,
  ToolError,
  type Answer,
  type ExecutorOptions,
  type JsonObject,
  type JsonValue,
  type Tool,
} from "@toolweave/core";
import {
  memoryPendingCalls,
  type AuditRecord,
  type FinishedResult,
  type PendingCallStore,
} from "@toolweave/core/stores";
import { call, executorFor, guarded, recorded, tool, listTypes } from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption, textFor } from "../support/outcomes.ts";
import { gate, key } from "../support/pending-call-stores.ts";

const yes = [{ type: "approve", by: "ada" }] as const;
const tenMinutes = 600_000;

/** A store in memory that records its inputs. */
function openStore(clock = new FakeClock()) {
  const inner = memoryPendingCalls(clock);
  const results = new Map<string, FinishedResult>();
  const store: Required<PendingCallStore> = {
    add: (interruption, owner) => inner.add(interruption, owner),
    claim: (interruption) => inner.claim(interruption),
    finish: (id, result) => {
      if (result !== undefined) results.set(id, result);
      return inner.finish(id, result);
    },
    finishedResult: (id) => inner.finishedResult?.(id),
    get: (id) => inner.get(id),
    list: () => inner.list(),
    now: () => clock.now(),
  };
  return { store, results, clock };
}

/** A call that was answered with `answers`, whose client has lost the outcome. */
async function answeredOnce(
  tools: Tool | readonly Tool[],
  options: Omit<ExecutorOptions, "registry"> = {},
  answers: readonly Answer[] = yes,
) {
  const list = Array.isArray(tools) ? (tools as readonly Tool[]) : [tools as Tool];
  const executor = executorFor(list, options);
  const first = list[0] as Tool;
  const interruption = getInterruption(
    await executor.execute(call(first.spec.name, { n: 1 }), {
      caller: { id: "ada" },
      sessionId: "s",
    }),
  );
  const outcome = await executor.resume(interruption, answers);
  return { executor, interruption, outcome };
}

describe("the same answers to the same interruption", () => {
  test("return the first outcome; nothing runs, is emitted or is recorded", async () => {
    const ran: JsonObject[] = [];
    const records: AuditRecord[] = [];
    const { executor, interruption, outcome } = await answeredOnce(guarded(ran), {
      audit: { write: (record) => void records.push(record) },
    });
    const events = recorded(executor);
    const before = records.length;
    for (let time = 0; time < 3; time++) {
      const again = await executor.resume(
        JSON.parse(JSON.stringify(interruption)),
        JSON.parse(JSON.stringify(yes)),
      );
      expect(again).toEqual(outcome);
    }
    expect(completed(outcome).result.callId).toBe("pay");
    expect([ran.length, listTypes(events), records.length]).toEqual([1, [], before]);
  });

  test("return the first error, with its code and data", async () => {
    const paid: string[] = [];
    const failing = tool(
      "pay",
      () => {
        paid.push("pay");
        throw new ToolError("upstream", "The bank answered 503.", {
          status: 503,
          body: { busy: true },
          retryAfterMs: 1_000,
          retryable: true,
          cause: new Error("socket of the host"),
        });
      },
      { needsApproval: true },
    );
    const { executor, interruption, outcome } = await answeredOnce(failing);
    const again = failed(await executor.resume(interruption, yes));
    expect(ToolError.is(again.error)).toBe(true);
    expect(again.error.toJSON()).toEqual(failed(outcome).error.toJSON());
    expect(again.result).toEqual(failed(outcome).result);
    expect([again.error.cause, paid]).toEqual([undefined, ["pay"]]);
  });

  test("that were a rejection stay a rejection", async () => {
    const ran: JsonObject[] = [];
    const no = [{ type: "reject", reason: "too much" }] as const;
    const { executor, interruption, outcome } = await answeredOnce(guarded(ran), {}, no);
    expect(readCode(outcome)).toBe("approval_rejected");
    expect(textFor(await executor.resume(interruption, no))).toBe(textFor(outcome));
    expect(readCode(await executor.resume(interruption, yes))).toBe("approval_invalid");
    expect(ran).toEqual([]);
  });

  test("return the next question, which can be answered then", async () => {
    const colours: unknown[] = [];
    const asking = tool(
      "paint",
      (_, { resumed }) => {
        if (resumed === undefined) return suspend([{ id: "q", type: "input", message: "?" }], null);
        colours.push(resumed.answers);
        return "painted";
      },
      { needsApproval: true },
    );
    const { executor, interruption, outcome } = await answeredOnce(asking);
    const question = getInterruption(await executor.resume(interruption, yes));
    expect(question).toEqual(getInterruption(outcome));
    const red = [{ type: "input", value: "red" }] as const;
    expect(textFor(await executor.resume(question, red))).toBe("painted");
    expect(textFor(await executor.resume(question, red))).toBe("painted");
    expect(colours).toHaveLength(1);
  });

  test("return the outcome in another process with the same key and store", async () => {
    const ran: JsonObject[] = [];
    const { store } = openStore();
    const { interruption, outcome } = await answeredOnce(guarded(ran), {
      key,
      pendingCalls: store,
    });
    // Even if that process does not have the tool.
    const there = executorFor(tool("other"), { key, pendingCalls: store });
    expect(await there.resume(interruption, yes)).toEqual(outcome);
    expect(ran).toHaveLength(1);
  });

  test("return the outcome for ten minutes of the store's clock, and are refused after that", async () => {
    const { store, clock } = openStore();
    const ran: JsonObject[] = [];
    const options = { pendingCalls: store, clock };
    const { executor, interruption, outcome } = await answeredOnce(guarded(ran), options);
    clock.skip(tenMinutes - 1);
    expect(await executor.resume(interruption, yes)).toEqual(outcome);
    clock.skip(1);
    expect(failed(await executor.resume(interruption, yes)).error).toMatchObject({
      code: "approval_invalid",
      message: expect.stringContaining("was answered before; check what it did"),
    });
    expect(ran).toHaveLength(1);
  });

  test("are refused while the first one runs, and return its outcome afterwards", async () => {
    const started = gate();
    const done = gate();
    let times = 0;
    const slow = tool(
      "pay",
      async () => {
        times += 1;
        started.open();
        await done.opened;
        return "paid";
      },
      { needsApproval: true },
    );
    const executor = executorFor(slow);
    const interruption = getInterruption(await executor.execute(call("pay")));
    const first = executor.resume(interruption, yes);
    await started.opened;
    expect(readCode(await executor.resume(interruption, yes))).toBe("approval_invalid");
    done.open();
    expect(textFor(await first)).toBe("paid");
    expect(textFor(await executor.resume(interruption, yes))).toBe("paid");
    expect(times).toBe(1);
  });

  test("ask for a retry if the store does not answer, and return the outcome then", async () => {
    const { store } = openStore();
    const ran: JsonObject[] = [];
    const pendingCalls = { ...store };
    const { executor, interruption, outcome } = await answeredOnce(guarded(ran), { pendingCalls });
    pendingCalls.finishedResult = () => Promise.reject(new Error("disk of the host"));
    const { error } = failed(await executor.resume(interruption, yes));
    expect([error.code, error.retryable]).toEqual(["store_unavailable", true]);
    expect(error.message).not.toContain("disk of the host");
    pendingCalls.finishedResult = store.finishedResult;
    expect(await executor.resume(interruption, yes)).toEqual(outcome);
    expect(ran).toHaveLength(1);
  });
});

describe("AP04 an earlier outcome is refused to", () => {
  test.each<[string, readonly Answer[]]>([
    ["another person", [{ type: "approve", by: "eve" }]],
    ["a caller without an id", [{ type: "approve" }]],
    ["other arguments", [{ type: "approve", by: "ada", arguments: { n: 1 } }]],
    ["a grant", [{ type: "approve", by: "ada", grant: "always" }]],
    ["a no", [{ type: "reject", by: "ada" }]],
  ])("%s", async (_, other) => {
    const ran: JsonObject[] = [];
    const { executor, interruption } = await answeredOnce(guarded(ran));
    expect(readCode(await executor.resume(interruption, other))).toBe("approval_invalid");
    expect([ran.length, await executor.grants.list()]).toEqual([1, []]);
  });

  test("another caller, and to the same one in another session", async () => {
    const { executor, interruption } = await answeredOnce(guarded());
    for (const of of [
      { caller: { id: "eve" }, sessionId: "s" },
      { caller: { id: "ada" }, sessionId: "t" },
      {},
    ]) {
      const run = executor.startRun(of);
      expect(readCode(await executor.resume(interruption, yes, { run }))).toBe("approval_invalid");
    }
    const run = executor.startRun({ caller: { id: "ada" }, sessionId: "s" });
    completed(await executor.resume(interruption, yes, { run }));
  });

  test("a changed interruption, another interruption, and another key", async () => {
    const { store, results } = openStore();
    const options = { key, pendingCalls: store };
    const { executor, interruption } = await answeredOnce(guarded(), options);
    const changed = { ...interruption, call: { ...interruption.call, arguments: { n: 9 } } };
    expect(readCode(await executor.resume(changed, yes))).toBe("approval_invalid");
    const other = await answeredOnce(guarded(), options);
    const swapped = { ...store, finishedResult: () => results.get(interruption.id)?.sealed };
    const next = executorFor(guarded(), { key, pendingCalls: swapped });
    expect(readCode(await next.resume(other.interruption, yes))).toBe("approval_invalid");
    completed(await next.resume(interruption, yes));
    const stranger = executorFor(guarded(), { key: key.toUpperCase(), pendingCalls: store });
    expect(readCode(await stranger.resume(interruption, yes))).toBe("approval_invalid");
  });
});

describe("the outcome in a store", () => {
  test("is redacted, and can neither be read nor changed", async () => {
    const { store, results } = openStore();
    const secret = "sk_live_of_the_bank_4242";
    const paying = tool("pay", () => `receipt 77 with ${secret}`, { needsApproval: true });
    const { executor, interruption } = await answeredOnce(paying, {
      pendingCalls: store,
      redact: { secrets: [secret] },
    });
    const [{ sealed, maxAgeMs }] = [...results.values()] as [FinishedResult];
    expect(maxAgeMs).toBe(tenMinutes);
    expect(atob(sealed.slice(5).replaceAll("-", "+").replaceAll("_", "/"))).not.toContain(
      "receipt",
    );
    expect(textFor(await executor.resume(interruption, yes))).toBe("receipt 77 with [redacted]");
    const middle = sealed.length >> 1;
    const flipped = sealed[middle] === "A" ? "B" : "A";
    for (const wrong of [
      sealed.slice(0, middle) + flipped + sealed.slice(middle + 1),
      sealed.slice(0, -8),
      "",
      interruption.state,
      42,
    ]) {
      store.finishedResult = () => wrong as string;
      expect(readCode(await executor.resume(interruption, yes))).toBe("approval_invalid");
    }
  });

  test("is absent for a cancelled call, which may still have done its work", async () => {
    const { store, results } = openStore();
    const started = gate();
    const endless = tool("pay", () => (started.open(), new Promise(() => {})), {
      needsApproval: true,
    });
    const executor = executorFor(endless, { pendingCalls: store });
    const interruption = getInterruption(await executor.execute(call("pay")));
    const connection = new AbortController();
    const outcome = executor.resume(interruption, yes, { signal: connection.signal });
    await started.opened;
    connection.abort();
    expect(readCode(await outcome)).toBe("cancelled");
    expect(results.size).toBe(0);
    expect(failed(await executor.resume(interruption, yes)).error.message).toContain(
      "check what it did before making the call again",
    );
  });

  test("is absent if it is too large; the second answer is refused", async () => {
    const { store, results } = openStore();
    const large = tool("pay", () => ({ rows: "é".repeat(140_000) }), { needsApproval: true });
    const { executor, interruption } = await answeredOnce(large, { pendingCalls: store });
    expect(results.size).toBe(0);
    expect(readCode(await executor.resume(interruption, yes))).toBe("approval_invalid");
  });

  test("is absent if it is nested too deeply to be stored completely", async () => {
    const { store, results } = openStore();
    let value: JsonValue = "innermost";
    for (let level = 0; level < 200; level++) value = [value];
    const deep = tool("pay", () => ({ content: [], value }), { needsApproval: true });
    const { executor, interruption, outcome } = await answeredOnce(deep, { pendingCalls: store });
    expect(JSON.stringify(completed(outcome).result.value)).toContain("innermost");
    expect(results.size).toBe(0);
    expect(readCode(await executor.resume(interruption, yes))).toBe("approval_invalid");
  });

  test("is absent if the store cannot store it: the second answer is refused, and the call ends normally", async () => {
    const { store, results } = openStore();
    const { finishedResult: _, ...older } = store;
    const { executor, interruption, outcome } = await answeredOnce(guarded(), {
      pendingCalls: older,
    });
    completed(outcome);
    expect(results.size).toBe(0);
    expect(readCode(await executor.resume(interruption, yes))).toBe("approval_invalid");
  });

  test("is evicted from memory for newer ones", async () => {
    const { store } = openStore();
    const answered: string[] = [];
    for (const id of ["a", "b", "c"]) {
      const interruption = getInterruption(
        await executorFor(guarded(), { pendingCalls: store }).execute(call("pay", {}, id)),
      );
      await store.claim(interruption);
      await store.finish(interruption.id, { sealed: id.repeat(7_000_000), maxAgeMs: tenMinutes });
      answered.push(interruption.id);
    }
    const found = await Promise.all(answered.map((id) => store.finishedResult(id)));
    expect(found.map((sealed) => sealed?.length)).toEqual([undefined, 7_000_000, 7_000_000]);
  });
});
