import { expect, test } from "vitest";
import { memoryCredentials } from "@toolweave/core/stores";

const key = { source: "museum", scheme: "login" };
const mine = { type: "secret", secret: "mine" } as const;

test("a caller's credential belongs to that caller only, not even to the host", async () => {
  const store = memoryCredentials();
  await store.set({ ...key, caller: "ada" }, mine);
  expect(await store.get({ ...key, caller: "ada" })).toEqual(mine);
  for (const other of [
    key,
    { ...key, caller: "" },
    { ...key, caller: "bob" },
    { ...key, scheme: "ada" },
    { source: "login", scheme: "museum", caller: "ada" },
  ]) {
    expect(await store.get(other)).toBeUndefined();
  }
});

test("the newest credential is used until it is deleted", async () => {
  const store = memoryCredentials();
  await store.set(key, { type: "secret", secret: "old" });
  await store.set(key, mine);
  expect(await store.get(key)).toEqual(mine);
  await store.delete(key);
  expect(await store.get(key)).toBeUndefined();
});
