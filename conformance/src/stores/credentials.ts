import type { Credential } from "@toolweave/core/stores";
import { expect, test } from "vitest";
import { openSubject, type StoreFactory } from "./store-under-test.ts";

const token: Credential = {
  type: "token",
  accessToken: "access",
  expiresAt: 1_700_000_000_000,
  refreshToken: "refresh",
  scopes: ["read", "write"],
};

const client = {
  type: "client",
  issuer: "https://auth.example",
  clientId: "agent-7",
  clientSecret: "shared",
  clientAuthentication: "client_secret_post",
  redirectUri: "http://127.0.0.1:8976/callback",
  scopes: ["read"],
  expiresAt: 1_800_000_000_000,
} as const;

const credentials: readonly Credential[] = [
  token,
  client,
  { ...token, bound: { resource: "https://mcp.example/mcp", client } },
  { type: "token", accessToken: "only" },
  { type: "secret", secret: 'any \u0000 "text" \u{1f511}' },
  { type: "password", username: "ada", password: "open, sesame" },
  { type: "certificate", certificate: "PEM\n", privateKey: "PEM\n", passphrase: "p" },
];

/** Registers the tests of a store of credentials. */
export function describeCredentials(
  make: StoreFactory,
  { isShared }: { readonly isShared: boolean },
): void {
  const key = { source: "museum", scheme: "oauth" };

  test("are returned as they were set, one by one", async () => {
    const store = (await openSubject(make, "credentials")).store.credentials;
    for (const credential of credentials) {
      await store.set(key, credential);
      expect(await store.get(key)).toEqual(credential);
    }
  });

  test("belong to exactly one source, scheme and caller", async () => {
    const store = (await openSubject(make, "credentials")).store.credentials;
    const keys = [
      key,
      { ...key, caller: "ada" },
      { ...key, caller: "" },
      { ...key, caller: "null" },
      { ...key, caller: "../../ada\u0000" },
      { ...key, scheme: "apiKey" },
      { ...key, source: "shop" },
      { source: "museum,oauth", scheme: "" },
      { source: 'museum","oauth', scheme: "" },
    ];
    for (const [index, each] of keys.entries()) {
      expect(await store.get(each)).toBeUndefined();
      await store.set(each, { type: "secret", secret: `${index}` });
    }
    for (const [index, each] of keys.entries()) {
      expect(await store.get({ ...each })).toEqual({ type: "secret", secret: `${index}` });
    }
  });

  test("do not exist after they are deleted, and others do", async () => {
    const store = (await openSubject(make, "credentials")).store.credentials;
    await store.set(key, token);
    await store.set({ ...key, caller: "ada" }, token);
    await store.delete(key);
    await store.delete(key);
    expect(await store.get(key)).toBeUndefined();
    expect(await store.get({ ...key, caller: "ada" })).toEqual(token);
  });

  test("set at the same time: one of them is stored, completely", async () => {
    const store = (await openSubject(make, "credentials")).store.credentials;
    await Promise.all(credentials.map((credential) => store.set(key, credential)));
    expect(credentials).toContainEqual(await store.get(key));
  });

  test.runIf(isShared)("exist after a restart, and for another process", async () => {
    const { store, reopen } = await openSubject(make, "credentials");
    await store.credentials.set(key, token);
    await store.close?.();
    const [one, other] = [await reopen(), await reopen()];
    expect(await one.credentials.get(key)).toEqual(token);
    await other.credentials.set(key, { type: "secret", secret: "by another" });
    expect(await one.credentials.get(key)).toEqual({ type: "secret", secret: "by another" });
  });

  test("exclusive work of one key is done one after the other, in all processes", async ({
    skip,
  }) => {
    const { store, reopen } = await openSubject(make, "credentials");
    const stores = [store.credentials, isShared ? (await reopen()).credentials : store.credentials];
    if (stores[0]!.exclusive === undefined) skip();
    let active = 0;
    let maxActive = 0;
    const renew = async (): Promise<void> => {
      maxActive = Math.max(maxActive, ++active);
      const found = await store.credentials.get(key);
      const count = found?.type === "secret" ? Number(found.secret) : 0;
      await store.credentials.set(key, { type: "secret", secret: `${count + 1}` });
      active -= 1;
    };
    await Promise.all([0, 1, 0, 1].map((n) => stores[n]!.exclusive!(key, renew)));
    expect(maxActive).toBe(1);
    expect(await store.credentials.get(key)).toEqual({ type: "secret", secret: "4" });
  });

  test("exclusive work of several keys is done at the same time", async ({ skip }) => {
    const { credentials: one } = (await openSubject(make, "credentials")).store;
    if (one.exclusive === undefined) skip();
    let end: (() => void) | undefined;
    const waits = new Promise<void>((resolve) => (end = resolve));
    await Promise.all([
      one.exclusive!(key, () => waits),
      one.exclusive!({ ...key, caller: "ada" }, async () => end?.()),
    ]);
  });

  test("exclusive work that fails rejects with its error, and other work can be done then", async ({
    skip,
  }) => {
    const { credentials: one } = (await openSubject(make, "credentials")).store;
    if (one.exclusive === undefined) skip();
    await expect(one.exclusive!(key, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    let done = 0;
    await one.exclusive!(key, async () => void done++);
    expect(done).toBe(1);
  });
}
