import type { AuditRecord } from "@toolweave/core/stores";
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
}
