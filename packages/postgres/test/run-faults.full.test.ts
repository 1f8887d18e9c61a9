import { testTask } from "@toolweave/conformance/test-records";
import type { LedgerCall, LedgerEntry } from "@toolweave/core/stores";
import { describe, expect, inject, test } from "vitest";
import { leaseMs, none, useFaults } from "./support/every-fault.ts";

const url = inject("postgresUrl");

describe.skipIf(url === undefined)(
  "with a fault at any statement of the ledger, of a wait or of a lock",
  () => {
    const everyFault = useFaults(url ?? "", `run_faults_${process.pid}`);

    test("a call of a durable run has its effect at most once, and its outcome stays", async () => {
      const result = await everyFault("short", async ({ store, other, clock, outcome, arrive }) => {
        let effects = 0;
        const first = await outcome(store.ledger.begin(ledgerCall("1")));
        const second = await other.ledger.begin(ledgerCall("2"));
        for (const entry of [first, second]) if (isBegun(entry)) effects++;
        await arrive();
        // The executor withdraws a claim whose answer is missing, and the outcome of one whose end is not stored.
        const paid = { status: "ended", outcome: "paid" } as const;
        const ended = isBegun(first)
          ? await outcome(store.ledger.end(ledgerCall("1"), paid))
          : first;
        if (ended === "unavailable") {
          const status = isBegun(first) ? "unknown" : "released";
          await outcome(store.ledger.end(ledgerCall("1"), { status }));
        }
        store.close();
        await arrive();
        await clock.skip(leaseMs);
        const later = await other.ledger.begin(ledgerCall("3"));
        if (isBegun(later)) effects++;
        return {
          "the effect happens at most once": effects < 2,
          "a claim that is answered is not lost": isBegun(first) || first === "unavailable",
          "the second claim finds the first one": !isBegun(first) || is(second, "running"),
          "an end is accepted once": ended !== false,
          "an end stays": ended !== true || (is(later, "ended") && later.outcome === "paid"),
          "an outcome is that of an effect": !is(later, "ended") || isBegun(first),
        };
      });
      expect(result).toEqual(none);
    });

    test("calls that are made at the same time each have their effect at most once", async () => {
      const ids = ["a", "b", "c"];
      const result = await everyFault("long", async ({ store, other, clock, outcome, arrive }) => {
        const call = (callId: string, by: string) => ledgerCall(by + callId, { callId, epoch: 1 });
        const begun = await Promise.all(
          ids.map((id) => outcome(store.ledger.begin(call(id, "store")))),
        );
        const others = await Promise.all(ids.map((id) => other.ledger.begin(call(id, "other"))));
        await arrive();
        const ended = await Promise.all(
          ids.map((id, n) =>
            begun[n] !== undefined && isBegun(begun[n])
              ? outcome(store.ledger.end(call(id, "store"), { status: "ended", outcome: id }))
              : "unavailable",
          ),
        );
        store.close();
        await arrive();
        await clock.skip(leaseMs);
        const later = await Promise.all(ids.map((id) => other.ledger.begin(call(id, "later"))));
        return {
          "a call starts at most once": ids.every(
            (_, n) =>
              [begun[n], others[n], later[n]].filter((one) => one !== undefined && isBegun(one))
                .length < 2,
          ),
          "an end is accepted": ended.every((is) => is !== false),
          "an outcome stays": ids.every((id, n) => {
            const entry = later[n];
            return ended[n] !== true || (entry?.status === "ended" && entry.outcome === id);
          }),
        };
      });
      expect(result).toEqual(none);
    });

    test("a claim that was withdrawn does not exist, also if its statement arrives later", async () => {
      const result = await everyFault("short", async ({ store, other, outcome, arrive }) => {
        const first = await outcome(store.ledger.begin(ledgerCall("1")));
        const released = await outcome(store.ledger.end(ledgerCall("1"), { status: "released" }));
        await arrive();
        const later = await other.ledger.begin(ledgerCall("2"));
        await arrive();
        const ended = await other.ledger.end(ledgerCall("2"), { status: "ended", outcome: "paid" });
        return {
          "a claim that was made is withdrawn": !isBegun(first) || released !== false,
          "a call that has not started is not unknown":
            released === "unavailable" || isBegun(later),
          "the next claim is valid": ended === isBegun(later),
        };
      });
      expect(result).toEqual(none);
    });

    test("a suspended call is resumed once, and returns its question until then", async () => {
      const result = await everyFault("long", async ({ store, other, clock, outcome, arrive }) => {
        const asks = { status: "suspended", outcome: "asks" } as const;
        const answer = { status: "ended", outcome: "answered" } as const;
        await outcome(store.ledger.begin(ledgerCall("1")));
        const suspended = await outcome(store.ledger.end(ledgerCall("1"), asks));
        const asked = await other.ledger.begin(ledgerCall("2"));
        const again = ledgerCall("3", { repeat: "resume", argumentsHash: "b" });
        const resumed = await outcome(store.ledger.begin(again));
        const ended = isBegun(resumed) ? await outcome(store.ledger.end(again, answer)) : undefined;
        store.close();
        await arrive();
        await clock.skip(leaseMs);
        const later = await other.ledger.begin(ledgerCall("4", { argumentsHash: "b" }));
        return {
          "a question is returned":
            suspended !== true || (is(asked, "ended") && asked.outcome === "asks"),
          "an end stays": ended !== true || (is(later, "ended") && later.outcome === "answered"),
          "a resumed call does not ask again":
            !isBegun(resumed) || !is(later, "ended") || later.outcome === "answered",
          "a resumption is not lost": resumed === "unavailable" || isBegun(resumed),
        };
      });
      expect(result).toEqual(none);
    });

    test("a call that is taken over has one outcome, and an earlier epoch begins no other one", async () => {
      const result = await everyFault("long", async ({ store, other, clock, outcome, arrive }) => {
        const old = ledgerCall("1", { epoch: 1 });
        await other.ledger.begin(old);
        // The process is paused for longer than its lease.
        await clock.skip(leaseMs);
        const again = ledgerCall("2", { epoch: 2, repeat: "rerun" });
        const taken = await outcome(store.ledger.begin(again));
        const late = await other.ledger.end(old, { status: "ended", outcome: "late" });
        const mine = { status: "ended", outcome: "mine" } as const;
        const ended = isBegun(taken) ? await outcome(store.ledger.end(again, mine)) : taken;
        await arrive();
        const next = await other.ledger.begin(ledgerCall("3", { callId: "d", epoch: 1 }));
        store.close();
        await clock.skip(leaseMs);
        const later = await other.ledger.begin(ledgerCall("4"));
        return {
          "the first claim is not valid any more": !isBegun(taken) || !late,
          "an end of the second one is accepted": !isBegun(taken) || ended !== false,
          "it stays": ended !== true || (is(later, "ended") && later.outcome === "mine"),
          "the late one is not lost": !late || (is(later, "ended") && later.outcome === "late"),
          "an earlier epoch begins nothing": !isBegun(taken) || is(next, "superseded"),
        };
      });
      expect(result).toEqual(none);
    });

    test("a request to cancel reaches the process of the task, and a wait ends", async () => {
      const result = await everyFault("long", async ({ store, other, outcome, arrive, expire }) => {
        await other.tasks.add(testTask("a"));
        const over = { is: false };
        const wait = store.tasks.watch?.("a", new AbortController().signal).then(() => {
          over.is = true;
        });
        const before = await outcome(store.tasks.get("a"));
        const requested = await outcome(store.tasks.requestCancel?.("a", "ada"));
        const found = (await other.tasks.get("a"))?.cancelRequestedBy;
        await other.tasks.change("a", { status: "cancelled", updatedAt: 2, expiresAt: 9e12 });
        await arrive();
        for (let turn = 0; turn < 3 && !over.is; turn++) {
          expire();
          await Promise.race([wait, other.tasks.get("a")]);
        }
        // A fault ends it, too: the caller reads the task then.
        await wait;
        return {
          "the task is found": before === "unavailable" || before?.status === "working",
          "a request arrives":
            requested === "unavailable" || (requested === true && found === "ada"),
          "an ended task is not asked":
            (await other.tasks.get("a"))?.cancelRequestedBy === undefined,
        };
      });
      expect(result).toEqual(none);
    });

    test("a credential is renewed by one process at a time, and a lost lock expires", async () => {
      const name = { source: "shop", scheme: "oauth" };
      const result = await everyFault("long", async ({ store, other, clock, outcome, arrive }) => {
        let [active, maxActive, done] = [0, 0, 0];
        const renew = async (): Promise<void> => {
          maxActive = Math.max(maxActive, ++active);
          await arrive();
          active--;
          done++;
        };
        const first = await outcome(store.credentials.exclusive?.(name, renew));
        const doneBefore = done;
        store.close();
        await arrive();
        // The maximum lease of a lock.
        await clock.skip(10_000);
        await other.credentials.exclusive?.(name, renew);
        return {
          "one is active": maxActive === 1,
          "work is done, unless it is refused": doneBefore === (first === "unavailable" ? 0 : 1),
          "the next work is done": done === doneBefore + 1,
        };
      });
      expect(result).toEqual(none);
    });
  },
);

function ledgerCall(token: string, more: Partial<LedgerCall> = {}): LedgerCall {
  const ids = { runId: "run", callId: "call", token };
  return { ...ids, tool: "pay", specHash: "", argumentsHash: "a", ...more };
}

function is<Status extends LedgerEntry["status"]>(
  entry: LedgerEntry | "unavailable",
  status: Status,
): entry is Extract<LedgerEntry, { readonly status: Status }> {
  return entry !== "unavailable" && entry.status === status;
}

function isBegun(entry: LedgerEntry | "unavailable"): boolean {
  return is(entry, "begun");
}
