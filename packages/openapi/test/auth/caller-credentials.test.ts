import { ToolExecutor, ToolRegistry, type JsonObject } from "@toolweave/core";
import {
  memoryCredentials,
  type CredentialKey,
  type CredentialStore,
} from "@toolweave/core/stores";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { openApiSource, type CredentialRequest, type OpenApiAuth } from "../../src/index.ts";
import { RecordingServer } from "@toolweave/test-support/recording-server";

const document = {
  openapi: "3.2.0",
  info: { title: "Museum", version: "1" },
  paths: {
    "/key": { get: { operationId: "key", security: [{ key: [] }], responses: {} } },
    "/open": { get: { operationId: "open", responses: {} } },
    "/both": {
      get: { operationId: "both", security: [{ key: [], token: ["a", "b"] }], responses: {} },
    },
  },
  components: {
    securitySchemes: {
      key: { type: "apiKey", in: "header", name: "X-Key" },
      token: { type: "oauth2", flows: {} },
    },
  },
} as unknown as JsonObject;

async function museum(auth: OpenApiAuth): Promise<{
  readonly call: (caller: string | undefined, name?: string) => Promise<unknown>;
  readonly server: RecordingServer;
}> {
  const server = await RecordingServer.start((recorded, response) => {
    response.setHeader("content-type", "application/json");
    // The order of answers differs from that of the requests.
    const answer = { key: recorded.headers["x-key"], token: recorded.headers["authorization"] };
    setImmediate(() => response.end(JSON.stringify(answer)));
  });
  const source = openApiSource.fromDocument(document, {
    id: "museum",
    baseUrl: server.origin,
    auth,
  });
  const registry = new ToolRegistry([source]);
  await registry.ready;
  onTestFinished(async () => {
    await registry.close();
    await server.close();
  });
  const executor = new ToolExecutor({ registry });
  const call = async (caller: string | undefined, name = "key"): Promise<unknown> => {
    const before = server.requests.length;
    const outcome = await executor.execute(
      { id: "1", name, arguments: {} },
      caller === undefined ? {} : { caller: { id: caller, roles: ["visitor"] } },
    );
    if (outcome.status === "interrupted") throw new Error("interrupted");
    return outcome.status === "failed"
      ? outcome.error.code
      : server.requests.slice(before).map(({ headers }) => headers["x-key"]);
  };
  return { call, server };
}

const of = (scheme: string, caller?: string): CredentialKey =>
  caller === undefined ? { source: "museum", scheme } : { source: "museum", scheme, caller };

describe("a store", () => {
  test("is read with exactly the caller's key, and never with another one", async () => {
    const asked: CredentialKey[] = [];
    const kept = memoryCredentials();
    void kept.set(of("key", "ada"), { type: "secret", secret: "ADA-KEY" });
    void kept.set(of("key"), { type: "secret", secret: "HOST-KEY" });
    const store: CredentialStore = {
      ...kept,
      get: (key) => {
        asked.push(key);
        return kept.get(key);
      },
    };
    const { call } = await museum({ store });
    expect(await call("ada")).toEqual(["ADA-KEY"]);
    expect(await call("bob")).toEqual([undefined]);
    expect(await call(undefined)).toEqual(["HOST-KEY"]);
    expect(asked).toEqual([of("key", "ada"), of("key", "bob"), of("key")]);
  });

  test("is not read for an operation that declares no security", async () => {
    const asked: CredentialKey[] = [];
    const store: CredentialStore = {
      ...memoryCredentials(),
      get: (key) => {
        asked.push(key);
        return { type: "secret", secret: "ADA-KEY" };
      },
    };
    const { call, server } = await museum({ store });
    expect(await call("ada", "open")).toEqual([undefined]);
    expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
    expect(asked).toEqual([]);
  });

  test("may return null for a missing credential", async () => {
    const get = (): never => null as never;
    const { call } = await museum({ apiKey: "HOST", store: { ...memoryCredentials(), get } });
    expect(await call("ada")).toEqual(["HOST"]);
  });

  test("that fails ends the call with store_unavailable, and nothing is sent", async () => {
    const broken = (): never => {
      throw new Error("vault at 10.0.0.1: denied");
    };
    for (const get of [broken, () => Promise.resolve().then(broken)]) {
      const { call, server } = await museum({
        apiKey: "HOST",
        store: { ...memoryCredentials(), get },
      });
      expect(await call("ada")).toBe("store_unavailable");
      expect(server.requests).toEqual([]);
    }
  });

  test("is used with a source's own id", () => {
    const make = (): unknown =>
      openApiSource.fromDocument(document, { auth: { store: memoryCredentials() } });
    expect(make).toThrow(/set `id`/);
  });
});

describe("a function", () => {
  test("receives the purpose of the credential, and its caller", async () => {
    const received: CredentialRequest[] = [];
    const answer = (request: CredentialRequest): string => {
      received.push({ ...request });
      return `${request.scheme}-of-${request.caller?.id ?? "host"}`;
    };
    const { call } = await museum({ apiKey: answer, schemes: { token: answer } });
    expect(await call("ada", "both")).toEqual(["key-of-ada"]);
    expect(await call(undefined)).toEqual(["key-of-host"]);
    const caller = { id: "ada", roles: ["visitor"] };
    expect(received).toMatchObject([
      { source: "museum", scheme: "key", scopes: [], caller },
      { source: "museum", scheme: "token", scopes: ["a", "b"], caller },
      { source: "museum", scheme: "key", scopes: [] },
    ]);
    expect(received[2]).not.toHaveProperty("caller");
    expect(received[0]?.signal).toBeInstanceOf(AbortSignal);
  });

  test("may return a credential of the scheme's kind", async () => {
    const { call } = await museum({
      schemes: { key: async () => ({ type: "secret" as const, secret: "FROM-VAULT" }) },
    });
    expect(await call("ada")).toEqual(["FROM-VAULT"]);
    const wrong = await museum({
      schemes: { key: () => ({ type: "password" as const, username: "a", password: "b" }) },
    });
    expect(await wrong.call("ada")).toBe("auth_required");
  });
});

test("simultaneous callers never receive each other's credentials", async () => {
  const names = ["ada", "bob", "eve", "__proto__", "constructor", 'a"b', ""];
  const server = await RecordingServer.start((recorded, response) => {
    const { headers } = recorded;
    const answer = JSON.stringify([headers["x-key"] ?? null, headers["authorization"] ?? null]);
    response.setHeader("content-type", "application/json");
    setImmediate(() => response.end(answer));
  });
  onTestFinished(() => server.close());
  const names1 = fc.constantFrom(...names);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ caller: names1, op: fc.constantFrom("key", "both") }), {
        maxLength: 20,
      }),
      fc.uniqueArray(names1),
      async (calls, withKeys) => {
        const store = memoryCredentials();
        const toHexName = (name: string): string => Buffer.from(name).toString("hex");
        for (const name of withKeys) {
          await store.set(of("key", name), { type: "secret", secret: `key-${toHexName(name)}` });
          await store.set(of("token", name), {
            type: "token",
            accessToken: `tok-${toHexName(name)}`,
          });
        }
        const late: CredentialStore = {
          ...store,
          get: async (key) => {
            await new Promise((resolve) => setImmediate(resolve));
            return store.get(key);
          },
        };
        const source = openApiSource.fromDocument(document, {
          id: "museum",
          baseUrl: server.origin,
          auth: { store: late },
        });
        await source.ready;
        const registry = new ToolRegistry([source]);
        const executor = new ToolExecutor({ registry });
        const before = server.requests.length;
        await Promise.all(
          calls.map(({ caller, op }, index) =>
            executor.execute(
              { id: `${index}`, name: op, arguments: {} },
              { caller: { id: caller } },
            ),
          ),
        );
        await registry.close();
        const sent = server.requests
          .slice(before)
          .map(({ path, headers }) =>
            [path, headers["x-key"] ?? "", headers["authorization"] ?? ""].join(" "),
          );
        const expected = calls.map(({ caller, op }) => {
          const has = withKeys.includes(caller);
          const both = has && op === "both";
          return [
            `/${op}`,
            has ? `key-${toHexName(caller)}` : "",
            both ? `Bearer tok-${toHexName(caller)}` : "",
          ].join(" ");
        });
        expect(sent.toSorted()).toEqual(expected.toSorted());
      },
    ),
    { numRuns: 40 },
  );
});
