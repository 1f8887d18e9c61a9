import {
  ToolExecutor,
  ToolRegistry,
  type Interruption,
  type Suspension,
  type ToolContext,
  type ToolOutcome,
} from "@toolweave/core";
import {
  memoryCredentials,
  type CredentialStore,
  type TokenCredential,
} from "@toolweave/core/stores";
import { visit } from "@toolweave/test-support/visit";
import { expect, it } from "vitest";
import { mcpSource, signIn, type McpHttpServer } from "../../src/index.ts";
import { guardedLibrary, type GuardedLibrary } from "../support/guarded-library.ts";
import { opened, findTool } from "../support/open-source.ts";

const key = new Uint8Array(32).fill(7);
const show = { name: "library__show_environment", arguments: {} };

function createServer({ url, authority }: GuardedLibrary, store: CredentialStore): McpHttpServer {
  return { name: "library", url, auth: { oauth: {}, store }, allowOrigins: [authority] };
}

/** A store with which the host itself is signed in, as `host`. */
async function signedIn(library: GuardedLibrary): Promise<CredentialStore> {
  const store = memoryCredentials();
  const begun = await signIn(createServer(library, store));
  await begun?.finish(await visit(begun.url, { name: "host" }));
  return store;
}

/** A separate process, except for the store and the key. */
async function createExecutor(
  library: GuardedLibrary,
  store: CredentialStore,
): Promise<ToolExecutor> {
  const source = opened(createServer(library, store));
  await source.ready;
  return new ToolExecutor({ registry: new ToolRegistry([source]), policy: "autonomous", key });
}

async function readToken(store: CredentialStore, caller?: string): Promise<TokenCredential> {
  const kept = await store.get({
    source: "library",
    scheme: "oauth",
    ...(caller === undefined ? {} : { caller }),
  });
  if (kept?.type !== "token") throw new Error("There is no token.");
  return kept;
}

function getInterruption(outcome: ToolOutcome): Interruption {
  if (outcome.status !== "interrupted") throw new Error(JSON.stringify(outcome));
  return outcome.interruption;
}

function getSignInPage({ requests }: Interruption): string {
  const [request] = requests;
  return request?.type === "auth" ? (request.url ?? "") : "";
}

it("a list that requires authentication fails with an error that explains the sign-in", async () => {
  const library = await guardedLibrary();
  const source = mcpSource(createServer(library, memoryCredentials()));
  await expect(source.ready).rejects.toMatchObject({
    code: "auth_required",
    message: expect.stringContaining("`toolweave login library`"),
  });
  await source.close();
  // No person signed in: nothing was registered.
  expect(library.asked).toEqual([]);
});

it("a sign-in is valid in every later process", async () => {
  const library = await guardedLibrary();
  const store = await signedIn(library);
  const executor = await createExecutor(library, store);
  expect(await executor.execute({ id: "1", ...show })).toMatchObject({ status: "completed" });
  expect(await signIn(createServer(library, store))).toBeUndefined();
  expect(library.asked.filter((path) => path === "POST /reg")).toHaveLength(1);
  const token = await readToken(store);
  expect(token.bound).toMatchObject({
    resource: library.url,
    client: { issuer: library.authority },
  });
  expect(await library.findOwner(token.accessToken)).toBe("host");
});

it("a call waits for its caller to sign in, and is resumed in another process", async () => {
  const library = await guardedLibrary();
  const store = await signedIn(library);
  const first = await createExecutor(library, store);
  const ada = { caller: { id: "ada" } };
  const asked = getInterruption(await first.execute({ id: "1", ...show }, ada));
  expect(asked.requests).toMatchObject([{ type: "auth", credential: "oauth" }]);
  expect(asked.requests[0]).toHaveProperty("message", expect.stringContaining(library.authority));

  const second = await createExecutor(library, store);
  const answer = {
    type: "input",
    value: await visit(getSignInPage(asked), { name: "ada" }),
  } as const;
  const outcome = await second.resume(asked, [answer], { run: second.startRun(ada) });
  expect(outcome).toMatchObject({ status: "completed" });
  const { accessToken } = await readToken(store, "ada");
  expect(await library.findOwner(accessToken)).toBe("ada");
  // The server returns what it received; the output is redacted.
  expect(JSON.stringify(outcome)).toContain("Bearer [redacted]");
  expect(JSON.stringify([asked, outcome])).not.toContain(accessToken);
});

it("MC30, MC31: the token of one caller is never used for another, nor for the host", async () => {
  const library = await guardedLibrary();
  const store = await signedIn(library);
  const executor = await createExecutor(library, store);
  for (const name of ["ada", "bob"]) {
    const caller = { caller: { id: name } };
    // The same id: calls of two callers stay separate.
    const asked = getInterruption(await executor.execute({ id: "1", ...show }, caller));
    const value = await visit(getSignInPage(asked), { name });
    await executor.resume(asked, [{ type: "input", value }], { run: executor.startRun(caller) });
  }
  library.tokens.length = 0;
  const callers = ["ada", "bob", undefined, "bob", "ada"];
  const calls = callers.map((id) =>
    executor.execute({ id: "1", ...show }, id === undefined ? {} : { caller: { id } }),
  );
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(
    callers.map(() => "completed"),
  );
  const owners = await Promise.all(library.tokens.map((token) => library.findOwner(token ?? "")));
  expect(owners.toSorted()).toEqual(["ada", "ada", "bob", "bob", "host"]);
});

it("MC30: a caller cannot complete the sign-in of another caller", async () => {
  const library = await guardedLibrary();
  const source = opened(createServer(library, await signedIn(library)));
  await source.ready;
  const tool = findTool(source, show.name);
  const context = (id: string, resumed?: ToolContext["resumed"]): ToolContext =>
    ({
      callId: "1",
      toolName: show.name,
      caller: { id },
      signal: new AbortController().signal,
      progress() {},
      idempotencyKey: async () => "k",
      resumed,
    }) as unknown as ToolContext;
  const { requests, state } = (await tool.invoke({}, context("ada"))) as Suspension;
  const [request] = requests;
  const value = await visit(request?.type === "auth" ? (request.url ?? "") : "", { name: "ada" });
  const answers = [{ type: "input" as const, value }];
  await expect(tool.invoke({}, context("bob", { state, answers }))).rejects.toMatchObject({
    code: "auth_required",
  });
  expect(await tool.invoke({}, context("ada", { state, answers }))).toHaveProperty("content");
});

it("after a declined sign-in the call is not sent, and the person is not asked again", async () => {
  const library = await guardedLibrary();
  const executor = await createExecutor(library, await signedIn(library));
  const ada = { caller: { id: "ada" } };
  const asked = getInterruption(await executor.execute({ id: "1", ...show }, ada));
  library.tokens.length = 0;
  const run = executor.startRun(ada);
  expect(await executor.resume(asked, [{ type: "reject" }], { run })).toMatchObject({
    status: "failed",
    error: { code: "approval_rejected" },
  });
  expect(library.tokens).toEqual([]);
});

it("MF24: a call that needs more scopes requests them in addition to the existing ones", async () => {
  const library = await guardedLibrary();
  const store = await signedIn(library);
  library.needs.set("show_environment", "write");
  const executor = await createExecutor(library, store);
  const asked = getInterruption(await executor.execute({ id: "1", ...show }));
  const scope = new URL(getSignInPage(asked)).searchParams.get("scope");
  expect(scope?.split(" ")).toEqual(expect.arrayContaining(["read", "write"]));
  const value = await visit(getSignInPage(asked), { name: "host" });
  expect(await executor.resume(asked, [{ type: "input", value }])).toMatchObject({
    status: "completed",
  });
  expect((await readToken(store)).scopes).toEqual(expect.arrayContaining(["read", "write"]));
});

it("MF24: a server that rejects every token does not cause endless sign-ins", async () => {
  const library = await guardedLibrary();
  const executor = await createExecutor(library, await signedIn(library));
  library.needs.set("show_environment", "write");
  library.isNeverContent = true;
  const asked = getInterruption(await executor.execute({ id: "1", ...show }));
  const value = await visit(getSignInPage(asked), { name: "host" });
  expect(await executor.resume(asked, [{ type: "input", value }])).toMatchObject({
    status: "failed",
    error: { code: "auth_required", retryable: false },
  });
});

it("an expired token is renewed once for all calls that need it", async () => {
  const library = await guardedLibrary();
  const store = await signedIn(library);
  const old = await readToken(store);
  const executor = await createExecutor(library, store);
  await store.set({ source: "library", scheme: "oauth" }, { ...old, expiresAt: 1 });
  library.asked.length = 0;
  const calls = Array.from({ length: 10 }, (_, id) => executor.execute({ id: `${id}`, ...show }));
  expect((await Promise.all(calls)).every(({ status }) => status === "completed")).toBe(true);
  expect(library.asked.filter((path) => path === "POST /token")).toHaveLength(1);
  const renewed = await readToken(store);
  expect(renewed.accessToken).not.toBe(old.accessToken);
  expect(renewed.bound).toEqual(old.bound);
});

it("a token that the server rejects is renewed once for all rejected calls", async () => {
  const library = await guardedLibrary();
  const store = await signedIn(library);
  const executor = await createExecutor(library, store);
  await library.revoke((await readToken(store)).accessToken);
  library.asked.length = 0;
  const calls = Array.from({ length: 10 }, (_, id) => executor.execute({ id: `${id}`, ...show }));
  expect((await Promise.all(calls)).every(({ status }) => status === "completed")).toBe(true);
  expect(library.asked.filter((path) => path === "POST /token")).toHaveLength(1);
});

it("an invalid refresh token is deleted, and a person signs in again", async () => {
  const library = await guardedLibrary();
  const store = await signedIn(library);
  const executor = await createExecutor(library, store);
  const old = await readToken(store);
  const lapsed = { ...old, expiresAt: 1, refreshToken: "not-any-more" };
  await store.set({ source: "library", scheme: "oauth" }, lapsed);
  const asked = getInterruption(await executor.execute({ id: "1", ...show }));
  expect(await store.get({ source: "library", scheme: "oauth" })).toBeUndefined();
  const value = await visit(getSignInPage(asked), { name: "host" });
  expect(await executor.resume(asked, [{ type: "input", value }])).toMatchObject({
    status: "completed",
  });
  // As the original client.
  expect((await readToken(store)).bound).toEqual(old.bound);
});

it("a registration that its server has lost is repeated", async () => {
  const library = await guardedLibrary();
  const store = await signedIn(library);
  const executor = await createExecutor(library, store);
  const old = await readToken(store);
  const registration = await store.get({ source: "library", scheme: "oauth-client" });
  if (registration?.type !== "client" || old.bound === undefined) throw new Error("None is kept.");
  const client = { ...registration, clientId: "forgotten" };
  await store.set({ source: "library", scheme: "oauth-client" }, client);
  const lapsed = { ...old, expiresAt: 1, bound: { ...old.bound, client } };
  await store.set({ source: "library", scheme: "oauth" }, lapsed);
  const asked = getInterruption(await executor.execute({ id: "1", ...show }));
  expect(getSignInPage(asked)).not.toContain("forgotten");
  const value = await visit(getSignInPage(asked), { name: "host" });
  expect(await executor.resume(asked, [{ type: "input", value }])).toMatchObject({
    status: "completed",
  });
});
