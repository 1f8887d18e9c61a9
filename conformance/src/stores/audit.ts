import type { AuditReader, AuditRecord, AuditSink } from "@toolweave/core/stores";
import { expect, test } from "vitest";
import { openSubject, type StoreFactory } from "./store-under-test.ts";

function record(callId: string): AuditRecord {
  return {
    time: 1_700_000_000_000,
    runId: "run_1",
    callId,
    tool: "delete_event",
    decision: "approved",
    reason: 'It is "destructive".\u0000\u2028',
    specHash: "ab".repeat(32),
    argumentsHash: "cd".repeat(32),
    permissions: [{ kind: "mcp", target: "delete_event" }],
    by: "ada",
  };
}

/** Registers the tests of an audit sink. */
export function describeAudit(
  make: StoreFactory,
  { isShared }: { readonly isShared: boolean },
): void {
  test("records are appended unchanged, in order", async () => {
    const { store, under } = await openSubject(make, "audit");
    for (const id of ["b", "a"]) await store.audit.write(record(id));
    expect(await under.readAudit?.()).toEqual([record("b"), record("a")]);
  });

  test("records that several processes write at the same time are all stored", async () => {
    const { store, reopen, under } = await openSubject(make, "audit");
    const sinks = [store, isShared ? await reopen() : store];
    const ids = Array.from({ length: 20 }, (_, n) => `${n}`);
    await Promise.all(ids.map((id, n) => sinks[n % 2]!.audit.write(record(id))));
    const written = ((await under.readAudit?.()) ?? []).map(({ callId }) => callId);
    expect(written.toSorted()).toEqual(ids.toSorted());
  });

  test("the same record twice is two records", async () => {
    const { store, under } = await openSubject(make, "audit");
    await store.audit.write(record("a"));
    await store.audit.write(record("a"));
    expect(await under.readAudit?.()).toHaveLength(2);
  });

  test("if records can be read, the latest are first, page by page", async ({ skip }) => {
    const { store } = await openSubject(make, "audit");
    const audit: AuditSink & Partial<AuditReader> = store.audit;
    if (audit.read === undefined) return skip();
    const times = [5, 1, 3, 3, 4, 1.5];
    for (const [index, time] of times.entries()) {
      await audit.write({ ...record(`${index}`), time: 1_700_000_000_000 + time });
    }
    const ids: string[] = [];
    let before: string | undefined;
    for (;;) {
      const page = await audit.read({ limit: 2, ...(before === undefined ? {} : { before }) });
      if (page.length === 0) break;
      ids.push(...page.map((entry) => entry.record.callId));
      before = page.at(-1)?.position;
    }
    expect(ids).toEqual(["0", "4", "3", "2", "5", "1"]);
    const [latest] = await audit.read({ limit: 1 });
    expect(latest?.record).toEqual({ ...record("0"), time: 1_700_000_000_005 });
  });
}
