import { ToolExecutor, ToolRegistry, type ExecutorOptions, type JsonObject } from "@toolweave/core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openApiSource, type OperationOverride } from "../../src/index.ts";
import { RecordingServer } from "@toolweave/test-support/recording-server";

let server: RecordingServer;

beforeAll(async () => {
  server = await RecordingServer.start();
});
afterAll(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
  server.answer = (_recorded, response) => response.writeHead(204).end();
});

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const retry = { attempts: 3, initialDelayMs: 0, retryNonIdempotent: true };

interface Asked {
  readonly override?: OperationOverride;
  readonly schema?: JsonObject;
  readonly name?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly args?: JsonObject;
  readonly caller?: string;
  readonly options?: Omit<Partial<ExecutorOptions>, "registry">;
}

/** Calls an operation that declares the header; the arguments for a model. */
async function pay(asked: Asked = {}): Promise<readonly string[]> {
  const { schema = { type: "string" }, name = "Idempotency-Key", override, headers } = asked;
  const source = openApiSource.fromDocument(
    {
      openapi: "3.1.0",
      info: { title: "Bank", version: "1" },
      paths: {
        "/payments": {
          post: {
            operationId: "pay",
            parameters: [
              { name, in: "header", required: true, schema },
              { name: "amount", in: "query", schema: { type: "integer" } },
            ],
            responses: {},
          },
        },
      },
    },
    {
      baseUrl: server.origin,
      ...(headers === undefined ? {} : { headers }),
      ...(override === undefined ? {} : { overrides: { pay: override } }),
    },
  );
  const registry = new ToolRegistry([source]);
  await registry.ready;
  const executor = new ToolExecutor({ registry, policy: "autonomous", ...asked.options });
  const modelArguments = Object.keys(
    source.tools()[0]?.spec.inputSchema["properties"] as JsonObject,
  );
  const { caller = "ada", args = { amount: 1 } } = asked;
  const run = executor.startRun({ id: "run", caller: { id: caller } });
  const outcome = await run.execute({ id: "1", name: "pay", arguments: args });
  expect(outcome.status).toBe("completed");
  await registry.close();
  return modelArguments;
}

const sent = (): unknown[] => server.requests.map(({ headers }) => headers["idempotency-key"]);

test("a declared Idempotency-Key is set by the executor: it is not an argument, and the same in every attempt", async () => {
  let left = 2;
  server.answer = (_recorded, response) => response.writeHead(left-- > 0 ? 503 : 204).end();
  expect(await pay({ options: { retry } })).toEqual(["amount"]);
  expect(sent()).toHaveLength(3);
  expect(new Set(sent()).size).toBe(1);
  expect(sent()[0]).toMatch(uuid);
});

test("an Idempotency-Key differs for another caller", async () => {
  const options = { key: "0123456789abcdef0123456789abcdef" };
  await pay({ options });
  await pay({ options });
  await pay({ options, caller: "bob" });
  const [one, same, other] = sent();
  expect(same).toBe(one);
  expect(other).not.toBe(one);
});

test("an Idempotency-Key is as short as the document requires", async () => {
  await pay({ schema: { type: "string", maxLength: 20 } });
  expect(sent()[0]).toMatch(/^[0-9a-f]{20}$/);
});

test("a name in another case, with a prefix, is the same header", async () => {
  expect(await pay({ name: "x-idempotency-key" })).toEqual(["amount"]);
  expect(server.last.headers["x-idempotency-key"]).toMatch(uuid);
});

test("an Idempotency-Key that the host assigns to the model is an argument", async () => {
  const modelArguments = await pay({
    override: { idempotencyKey: "model" },
    args: { "Idempotency-Key": "mine" },
  });
  expect(modelArguments).toEqual(["Idempotency-Key", "amount"]);
  expect(sent()).toEqual(["mine"]);
});

test("an Idempotency-Key that the host fixes or sends itself is the host's", async () => {
  await pay({ override: { fixed: { "Idempotency-Key": "fixed" } } });
  await pay({ headers: { "idempotency-key": "own" } });
  expect(sent()).toEqual(["fixed", "own"]);
});
