import { expect, test } from "vitest";
import { openSubject, type StoreFactory } from "./store-under-test.ts";

/** Registers the tests of a store of lists. */
export function describeLists(
  make: StoreFactory,
  { isShared }: { readonly isShared: boolean },
): void {
  test("the value that was stored last under each key is returned, to other processes too", async () => {
    const { store, reopen } = await openSubject(make, "lists");
    await store.lists.set("a", { tools: [{ name: "one" }] });
    await store.lists.set("a", { tools: [{ name: "two\u0000\u2028" }] });
    await store.lists.set("../b", { tools: [] });
    const { lists } = isShared ? await reopen() : store;
    expect(await lists.get("a")).toEqual({ tools: [{ name: "two\u0000\u2028" }] });
    expect(await lists.get("../b")).toEqual({ tools: [] });
    expect(await lists.get("c")).toBeUndefined();
  });

  test("of several values that are set at the same time one is stored, completely", async () => {
    const { lists } = (await openSubject(make, "lists")).store;
    const values = Array.from({ length: 8 }, (_, n) => ({ tools: [`${n}`.repeat(1_000)] }));
    await Promise.all(values.map((value) => lists.set("a", value)));
    expect(values).toContainEqual(await lists.get("a"));
  });
}
