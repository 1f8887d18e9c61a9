import type { Grant } from "@toolweave/core";
import { expect, test } from "vitest";
import { catchToolError } from "./catch-tool-error.ts";
import { openSubject, type StoreFactory } from "./store-under-test.ts";

function grant(id: string, tool: string): Grant {
  return {
    id,
    scope: "always",
    tool,
    specHash: "cd".repeat(32),
    permission: { kind: "network", target: "api.example.com" },
    argumentsHash: "ef".repeat(32),
    caller: { id: "ada", roles: ["editor"] },
    by: "grace",
    grantedAt: 1_700_000_000_000,
  };
}

/** Registers the tests of a store of grants. */
export function describeGrants(
  make: StoreFactory,
  { isShared }: { readonly isShared: boolean },
): void {
  test("grants are listed oldest first, all or those for one tool", async () => {
    const { store, reopen } = await openSubject(make, "grants");
    await store.grants.add(grant("b", "search"));
    await store.grants.add(grant("c", "delete_event"));
    await store.grants.add(grant("a", "search"));
    const { grants } = isShared ? await reopen() : store;
    expect(await grants.list()).toEqual([
      grant("b", "search"),
      grant("c", "delete_event"),
      grant("a", "search"),
    ]);
    expect(await grants.list("search")).toEqual([grant("b", "search"), grant("a", "search")]);
    expect(await grants.list("Search")).toEqual([]);
  });

  test("a revoked grant does not exist for any process that shares the store", async () => {
    const { store, reopen } = await openSubject(make, "grants");
    const other = isShared ? await reopen() : store;
    await store.grants.add(grant("a", "search"));
    expect(await other.grants.revoke("a")).toBe(true);
    expect(await store.grants.list("search")).toEqual([]);
    expect(await store.grants.revoke("a")).toBe(false);
  });

  test.runIf(isShared)(
    "an id is one grant: the same one again changes nothing, another is refused",
    async () => {
      const { grants } = (await openSubject(make, "grants")).store;
      await grants.add(grant("a", "search"));
      await grants.add(grant("a", "search"));
      const error = await catchToolError(() => grants.add(grant("a", "delete_event")));
      expect(error.code).toBe("internal");
      expect(await grants.list()).toEqual([grant("a", "search")]);
    },
  );

  test("of several revocations at the same time one finds the grant", async () => {
    const { store, reopen } = await openSubject(make, "grants");
    const stores = [store, isShared ? await reopen() : store];
    await store.grants.add(grant("a", "search"));
    const revoked = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => stores[n % 2]!.grants.revoke("a")),
    );
    expect(revoked.filter(Boolean)).toHaveLength(1);
  });
}
