import { ToolExecutor, ToolRegistry, type JsonObject, type PolicyRule } from "@toolweave/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApiSource } from "../../src/index.ts";
import { RecordingServer } from "@toolweave/test-support/recording-server";

let server: RecordingServer;
beforeAll(async () => {
  server = await RecordingServer.start();
});
afterAll(() => server.close());

const query = (name: string, schema: object = {}): object => ({ name, in: "query", schema });
const document = {
  openapi: "3.2.0",
  info: { title: "Shop", version: "1" },
  paths: {
    "/orders/{id}": {
      delete: {
        operationId: "cancel",
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string" } },
          query("refund", { type: "boolean" }),
          query("all", { type: "boolean" }),
          query("tag", { type: "array", items: { type: "string" } }),
          query("token", { type: "string", format: "password" }),
        ],
        responses: {},
      },
    },
    "/orders": {
      post: {
        operationId: "order",
        parameters: [query("notify", { type: "boolean" })],
        requestBody: {
          content: {
            "application/json": {
              schema: { type: "object", properties: { tea: { type: "integer" } } },
            },
          },
        },
        responses: {},
      },
    },
    "/filter": {
      post: {
        operationId: "filter",
        parameters: [
          {
            name: "where",
            in: "querystring",
            content: {
              "application/x-www-form-urlencoded": {
                schema: { type: "object", properties: { z: {}, a: {} } },
              },
            },
          },
        ],
        responses: {},
      },
    },
  },
};

async function shop(rules: readonly PolicyRule[] = []): Promise<ToolExecutor> {
  const registry = new ToolRegistry([openApiSource(document, { baseUrl: server.origin })]);
  await registry.ready;
  return new ToolExecutor({ registry, policy: { preset: "supervised", rules } });
}

async function readTarget(name: string, args: JsonObject): Promise<string | undefined> {
  const { requests } = await (await shop()).explain({ name, arguments: args });
  return requests.find(({ permission }) => permission.kind === "network")?.permission.target;
}

describe("the target of a request", () => {
  test.each<[what: string, name: string, args: JsonObject, target: string]>([
    ["has no query if none is sent", "cancel", { id: "7" }, "DELETE /orders/7"],
    [
      "has the query that is sent, sorted by name, as encoded",
      "cancel",
      { id: "7", tag: ["b & c", "a"], refund: true, all: false },
      "DELETE /orders/7?all=false&refund=true&tag=b%20%26%20c&tag=a",
    ],
    [
      "has a mask in place of a secret",
      "cancel",
      { id: "7", token: "s3cr3t", refund: true },
      "DELETE /orders/7?refund=true&token=[redacted]",
    ],
    [
      "has a query that is one value in its own order",
      "filter",
      { where: { z: "1", a: "2" } },
      "POST /filter?z=1&a=2",
    ],
  ])("%s", async (_, name, args, target) => {
    expect(await readTarget(name, args)).toBe(target.replace("/", `${server.origin}/`));
  });

  test("that is too long to read is refused, and nothing is sent", async () => {
    const before = server.requests.length;
    const outcome = await (
      await shop()
    ).execute({ id: "1", name: "cancel", arguments: { id: "7", tag: ["x".repeat(20_000)] } });
    expect(outcome).toMatchObject({ status: "failed", error: { code: "invalid_arguments" } });
    expect(server.requests).toHaveLength(before);
  });
});

test("a grant for any arguments is for one method, URL and query, whatever the body is", async () => {
  const executor = await shop();
  const call = (body: JsonObject, notify?: boolean): Promise<{ readonly status: string }> =>
    executor.execute(
      {
        id: "1",
        name: "order",
        arguments: { ...body, ...(notify === undefined ? {} : { notify }) },
      },
      { caller: { id: "ada" } },
    );
  const asked = await executor.execute(
    { id: "1", name: "order", arguments: { tea: 1, notify: false } },
    { caller: { id: "ada" } },
  );
  if (asked.status !== "interrupted") throw new Error("It was not asked about.");
  await executor.resume(asked.interruption, [
    { type: "approve", grant: { scope: "always", arguments: "any" } },
  ]);
  expect((await call({ tea: 2 }, false)).status).toBe("completed");
  expect((await call({ tea: 2 }, true)).status).toBe("interrupted");
  expect((await call({ tea: 2 })).status).toBe("interrupted");
});

describe("a rule for an address without a query", () => {
  const permissions = { kind: "network", target: "DELETE *://*/orders/7" };
  const effect = async (rule: PolicyRule, args: JsonObject): Promise<string> =>
    (await (await shop([rule])).explain({ name: "cancel", arguments: { id: "7", ...args } }))
      .effect;

  test("denies it with any query", async () => {
    const rule = { effect: "deny", permissions } as const;
    expect(await effect(rule, {})).toBe("deny");
    expect(await effect(rule, { refund: true })).toBe("deny");
  });

  test("allows it only without one", async () => {
    const rule = { effect: "allow", permissions } as const;
    expect(await executorEffects(rule)).toEqual({ without: "network allow", with: "network ask" });
  });

  async function executorEffects(rule: PolicyRule): Promise<object> {
    const executor = await shop([rule]);
    const of = async (args: JsonObject): Promise<string> => {
      const { requests } = await executor.explain({
        name: "cancel",
        arguments: { id: "7", ...args },
      });
      const found = requests.find(({ permission }) => permission.kind === "network");
      return `${found?.permission.kind} ${found?.effect}`;
    };
    return { without: await of({}), with: await of({ refund: true }) };
  }
});
