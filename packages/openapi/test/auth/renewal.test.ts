import {
  suspend,
  type JsonObject,
  type Suspension,
  type ToolContext,
  type ToolOutput,
} from "@toolweave/core";
import {
  memoryCredentials,
  type CredentialKey,
  type CredentialStore,
  type TokenCredential,
} from "@toolweave/core/stores";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { openApiSource, type OAuthRegistration } from "../../src/index.ts";
import { RecordingServer, respond, type Answer } from "@toolweave/test-support/recording-server";
import { toolContext } from "../support/tool-context.ts";
import { findTool } from "../support/call-tool.ts";

let server: RecordingServer;
let api: RecordingServer;
let store: CredentialStore;

const good = new Set<string>();
const key: CredentialKey = { source: "api", scheme: "oauth", caller: "ada" };
const redirectUri = "http://127.0.0.1:9/callback";

beforeEach(async () => {
  good.clear();
  store = memoryCredentials();
  server = await RecordingServer.start();
  api = await RecordingServer.start((recorded, response) => {
    const [, token = ""] = /^Bearer (.*)$/.exec(recorded.headers["authorization"] ?? "") ?? [];
    respond(good.has(token) ? 200 : 401, "application/json", "{}")(recorded, response);
  });
});
afterEach(async () => {
  await server.close();
  await api.close();
});

const token = (accessToken: string, more: Partial<TokenCredential> = {}): TokenCredential => ({
  type: "token",
  accessToken,
  ...more,
});

const issues = (accessToken: string, more: object = {}): Answer =>
  respond(
    200,
    "application/json",
    JSON.stringify({ access_token: accessToken, token_type: "bearer", ...more }),
  );

const refuses: Answer = respond(400, "application/json", '{"error":"invalid_grant"}');

type Invoke = (context?: Partial<ToolContext>) => Promise<ToolOutput | Suspension>;

interface OperationCase {
  readonly allowOrigins?: readonly string[];
  readonly optional?: boolean;
  readonly method?: string;
}

async function operation(
  more: Partial<OAuthRegistration> = {},
  kept: CredentialStore = store,
  scopes: readonly string[] = [],
  { allowOrigins = [], optional = false, method = "get" }: OperationCase = {},
): Promise<Invoke> {
  const security = [{ oauth: scopes }, ...(optional ? [{}] : [])];
  const get = { operationId: "x", security, responses: {} };
  const flows = {
    authorizationCode: {
      authorizationUrl: `${server.origin}/auth`,
      tokenUrl: `${server.origin}/token`,
      refreshUrl: `${server.origin}/renew`,
    },
  };
  const source = openApiSource.fromDocument(
    {
      openapi: "3.2.0",
      info: {},
      paths: { "/x": { [method]: get } },
      components: { securitySchemes: { oauth: { type: "oauth2", flows } } },
    } as unknown as JsonObject,
    {
      id: "api",
      baseUrl: api.origin,
      allowOrigins: [server.origin, ...allowOrigins],
      credentialOrigins: [server.origin, ...allowOrigins],
      auth: { store: kept, schemes: { oauth: { clientId: "c", redirectUri, ...more } } },
    },
  );
  onTestFinished(() => source.close());
  await source.ready;
  const tool = findTool(source, "x");
  return async (context = {}) =>
    (await tool.invoke({}, { ...toolContext(), caller: { id: "ada" }, ...context })) as
      | ToolOutput
      | Suspension;
}

/** The context of a call that is resumed with a person's answer. */
function resumed(suspension: ToolOutput | Suspension, code: string): Pick<ToolContext, "resumed"> {
  const { requests, state } = suspension as Suspension;
  const [request] = requests;
  const url = new URL(request?.type === "auth" ? (request.url ?? "") : "");
  const value = `${redirectUri}?code=${code}&state=${url.searchParams.get("state")}`;
  return { resumed: { state, answers: [{ type: "input", value }] } };
}

const isSuspended = (output: ToolOutput | Suspension): boolean => "requests" in output;

test("a token is renewed at the refresh URL of its flow (3.2 section 4.29)", async () => {
  await store.set(key, token("old", { refreshToken: "r1", expiresAt: 1 }));
  server.answer = issues("new", { expires_in: 600 });
  good.add("new");
  const invoke = await operation();
  expect(isSuspended(await invoke())).toBe(false);
  expect(server.requests.map(({ path }) => path)).toEqual(["/renew"]);
  expect(await store.get(key)).toMatchObject({ accessToken: "new", refreshToken: "r1" });
});

test("a requested scope that is absent from the grant is not requested again", async () => {
  const invoke = await operation({}, store, ["repo:read"]);
  // One scope that includes the other, on some servers.
  server.answer = issues("fresh", { scope: "repo" });
  good.add("fresh");
  expect(isSuspended(await invoke(resumed(await invoke(), "c1")))).toBe(false);
  expect(isSuspended(await invoke())).toBe(false);
});

test("a refusal by another origin, to which the API redirected, deletes no token", async () => {
  await store.set(key, token("good", { refreshToken: "r1" }));
  await using elsewhere = await RecordingServer.start(respond(401, "text/plain", "no"));
  api.answer = (_recorded, response) => {
    response.writeHead(302, { location: elsewhere.origin }).end();
  };
  const invoke = await operation({}, store, [], { allowOrigins: [elsewhere.origin] });
  expect(await invoke()).toMatchObject({ isError: true });
  expect(server.requests).toEqual([]);
  expect(await store.get(key)).toMatchObject({ accessToken: "good" });
});

test.each([302, 303])(
  "a refusal after a redirected write (%i) does not send the write again",
  async (status) => {
    await store.set(key, token("good", { refreshToken: "r1" }));
    server.answer = issues("new");
    const writes: unknown[] = [];
    api.answer = (recorded, response) => {
      if (recorded.method !== "POST") return respond(401, "text/plain", "no")(recorded, response);
      writes.push(recorded.headers["authorization"]);
      response.writeHead(status, { location: "/receipt" }).end();
    };
    const invoke = await operation({}, store, [], { method: "post" });
    const output = await invoke();
    expect(output).toMatchObject({
      isError: true,
      error: { message: expect.stringContaining("The request may have taken effect anyway") },
    });
    expect(writes).toEqual(["Bearer good"]);
  },
);

test("if credentials are optional, a person is asked when the API refuses a call without them", async () => {
  server.answer = issues("new");
  good.add("new");
  const invoke = await operation({}, store, [], { optional: true });
  const suspension = await invoke();
  expect(api.requests.map(({ headers }) => headers["authorization"])).toEqual([undefined]);
  expect(suspension).toMatchObject({ requests: [{ type: "auth", credential: "oauth" }] });
  const done = await invoke(resumed(suspension, "c1"));
  expect(done).toMatchObject({ value: {} });
  expect(api.last.headers["authorization"]).toBe("Bearer new");
});

test("if credentials are optional, no person is asked while the API accepts a call without them", async () => {
  api.answer = respond(200, "application/json", "{}");
  const invoke = await operation({}, store, [], { optional: true });
  expect(await invoke()).toMatchObject({ value: {} });
});

test("a token without an expiry is used until the API refuses it", async () => {
  server.answer = issues("new", { expires_in: 0 });
  good.add("new");
  const invoke = await operation();
  expect(isSuspended(await invoke(resumed(await invoke(), "c1")))).toBe(false);
  expect(isSuspended(await invoke())).toBe(false);
});

test("a token that is refused just after its sign-in causes no second question", async () => {
  const invoke = await operation();
  server.answer = issues("useless");
  const output = (await invoke(resumed(await invoke(), "c1"))) as ToolOutput;
  expect(output).toMatchObject({ isError: true });
  expect(output.error?.message).toContain("credentials were refused");
  // The next call may ask: it was made after the refusal was read.
  expect(isSuspended(await invoke())).toBe(true);
});

test("a call that is retried after its sign-in does not use the code again", async () => {
  const invoke = await operation();
  server.answer = issues("fresh");
  good.add("fresh");
  const context = resumed(await invoke(), "c1");
  for (const attempt of [1, 2]) {
    expect(isSuspended(await invoke({ ...context, attempt }))).toBe(false);
  }
  expect(server.requests).toHaveLength(1);
});

test("if another process has used the refresh token, its stored token is used", async () => {
  const [old, renewed] = [
    token("old", { refreshToken: "r1", expiresAt: 1 }),
    token("theirs", { refreshToken: "r2" }),
  ];
  server.answer = refuses;
  good.add("theirs");
  let reads = 0;
  const invoke = await operation({}, { ...store, get: () => (reads++ === 0 ? old : renewed) });
  expect(isSuspended(await invoke())).toBe(false);
  expect(api.last.headers["authorization"]).toBe("Bearer theirs");
});

test("two processes with one store renew a token once, although its refresh token is good only once", async () => {
  await store.set(key, token("old", { refreshToken: "r1", expiresAt: 1 }));
  const used = new Set<string>();
  server.answer = (recorded, response) => {
    const sent = new URLSearchParams(recorded.body.toString()).get("refresh_token") ?? "";
    const isNew = !used.has(sent);
    used.add(sent);
    good.add("new");
    const answer = isNew ? issues("new", { refresh_token: "r2" }) : refuses;
    setImmediate(() => answer(recorded, response));
  };
  const processes = [await operation(), await operation(), await operation(), await operation()];
  const outputs = await Promise.all(processes.map((invoke) => invoke()));
  expect(outputs.map(isSuspended)).toEqual([false, false, false, false]);
  expect(server.requests).toHaveLength(1);
  expect(await store.get(key)).toMatchObject({ accessToken: "new", refreshToken: "r2" });
});

test("a refused renewal causes a new sign-in, and the old token is deleted", async () => {
  await store.set(key, token("old", { refreshToken: "r1", expiresAt: 1 }));
  server.answer = refuses;
  const invoke = await operation();
  expect(isSuspended(await invoke())).toBe(true);
  expect(await store.get(key)).toBeUndefined();
  expect(api.requests).toEqual([]);
});

test("an authorization server that is down ends the call, and deletes nothing", async () => {
  await store.set(key, token("old", { refreshToken: "r1", expiresAt: 1 }));
  server.answer = respond(503, "text/plain", "later");
  const invoke = await operation();
  await expect(invoke()).rejects.toMatchObject({ code: "unavailable" });
  expect(await store.get(key)).toMatchObject({ accessToken: "old" });
});

test("a token of a vault, without a registration, is never deleted", async () => {
  const get = { operationId: "x", security: [{ oauth: [] }], responses: {} };
  const source = openApiSource.fromDocument(
    {
      openapi: "3.2.0",
      info: {},
      paths: { "/x": { get } },
      components: { securitySchemes: { oauth: { type: "oauth2", flows: {} } } },
    },
    { id: "api", baseUrl: api.origin, auth: { store } },
  );
  onTestFinished(() => source.close());
  await source.ready;
  await store.set(key, token("refused"));
  const output = await findTool(source, "x").invoke(
    {},
    { ...toolContext(), caller: { id: "ada" } },
  );
  expect(output).toMatchObject({ isError: true });
  expect(await store.get(key)).toEqual(token("refused"));
});

test("a state that belongs to another caller is refused", async () => {
  const invoke = await operation();
  const context = resumed(await invoke(), "c1");
  await expect(invoke({ ...context, caller: { id: "eve" } })).rejects.toMatchObject({
    code: "auth_required",
  });
  expect(server.requests).toEqual([]);
});

test("a state of another interruption is not accepted as a sign-in", async () => {
  const invoke = await operation();
  const { state } = suspend([], { other: true });
  expect(isSuspended(await invoke({ resumed: { state, answers: [] } }))).toBe(true);
});

test("closing the source cancels a request for a token", async () => {
  let received: () => void = () => {};
  const asked = new Promise<void>((resolve) => (received = resolve));
  server.answer = () => received();
  await store.set(key, token("old", { refreshToken: "r1", expiresAt: 1 }));
  const source = openApiSource.fromDocument(
    {
      openapi: "3.2.0",
      info: {},
      paths: { "/x": { get: { operationId: "x", security: [{ oauth: [] }], responses: {} } } },
      components: { securitySchemes: { oauth: { type: "oauth2", flows: {} } } },
    },
    {
      id: "api",
      baseUrl: api.origin,
      auth: {
        store,
        schemes: {
          oauth: {
            clientId: "c",
            flow: "deviceAuthorization",
            tokenUrl: `${server.origin}/token`,
            deviceAuthorizationUrl: `${server.origin}/device`,
          },
        },
      },
    },
  );
  await source.ready;
  const context = { ...toolContext(), caller: { id: "ada" } };
  const ended = Promise.resolve(findTool(source, "x").invoke({}, context)).catch(
    (error: unknown) => error,
  );
  await asked;
  await source.close();
  expect(await ended).toMatchObject({ code: "cancelled" });
});
