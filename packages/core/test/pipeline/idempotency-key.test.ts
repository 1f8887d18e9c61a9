import { createHash, createHmac } from "node:crypto";
import { expect, test } from "vitest";
import {
  suspend,
  ToolError,
  type ExecutorOptions,
  type JsonObject,
  type ToolContext,
} from "@toolweave/core";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { key } from "../support/pending-call-stores.ts";

const pay = { type: "object", properties: { pin: { type: "string" } } } as const;

/** The keys that the attempts of calls receive, in order. */
function recorder(fails = 0): { tool: ReturnType<typeof tool>; keys: string[] } {
  const keys: string[] = [];
  const paying = tool(
    "pay",
    async (_args: JsonObject, ctx: ToolContext) => {
      keys.push(await ctx.idempotencyKey());
      if (ctx.attempt <= fails) throw new ToolError("unavailable", "Later.", { retryable: true });
      return "paid";
    },
    { input: pay },
  );
  return { tool: paying, keys };
}

async function collectKeys(
  options: Omit<Partial<ExecutorOptions>, "registry">,
  fails = 0,
  args: JsonObject = { pin: "47!1" },
  run: { readonly id?: string; readonly caller?: string; readonly call?: string } = {},
): Promise<readonly string[]> {
  const { tool: paying, keys } = recorder(fails);
  const executor = executorFor(paying, options);
  const { id = "run", caller } = run;
  const given = caller === undefined ? { id } : { id, caller: { id: caller } };
  await executor.startRun(given).execute({ ...call("pay", args), id: run.call ?? "1" });
  return keys;
}

const retry = { attempts: 3, initialDelayMs: 0, retryNonIdempotent: true };

test("every attempt of a call has the same idempotency key", async () => {
  const keys = await collectKeys({ retry }, 2);
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
});

test("another caller, run, call or value has another idempotency key", async () => {
  const all = await Promise.all([
    collectKeys({ key }),
    collectKeys({ key }, 0, { pin: "0" }),
    collectKeys({ key }, 0, {}, { id: "other" }),
    collectKeys({ key }, 0, {}, { call: "2" }),
    collectKeys({ key }, 0, {}, { caller: "ada" }),
    collectKeys({ key }, 0, {}, { caller: "bob" }),
  ]);
  expect(new Set(all.flat()).size).toBe(all.length);
});

test("executors with the same key create the same idempotency key for a call, and others do not", async () => {
  const [one, same, other] = await Promise.all([
    collectKeys({ key }),
    collectKeys({ key }),
    collectKeys({}),
  ]);
  expect(same).toEqual(one);
  expect(other).not.toEqual(one);
});

test("SE14: the arguments cannot be found by an idempotency key", async () => {
  const [made] = await collectKeys({ key });
  expect(made).toMatch(/^[0-9a-f]{64}$/);
  for (const text of ["47!1", '{"pin":"47!1"}', "1", "run", "run1", "run:1", '["run","1"]']) {
    expect(made).not.toBe(createHash("sha256").update(text).digest("hex"));
    expect(made).not.toBe(createHmac("sha256", key).update(text).digest("hex"));
  }
});

test("calls that two tools make with the same id have different keys", async () => {
  const { tool: paying, keys } = recorder();
  const outer = (name: string): ReturnType<typeof tool> =>
    tool(name, async (_args: JsonObject, ctx: ToolContext) => {
      await ctx.scope.execute({ ...call("pay", {}), id: "inner" });
      return "done";
    });
  const executor = executorFor([paying, outer("a"), outer("b")], { key });
  const run = executor.startRun({ id: "run" });
  await run.execute({ ...call("a", {}), id: "1" });
  await run.execute({ ...call("b", {}), id: "2" });
  expect(new Set(keys).size).toBe(2);
});

test("a call that is resumed after an answer keeps its key", async () => {
  const keys: string[] = [];
  const paying = tool("pay", async (_args: JsonObject, ctx: ToolContext) => {
    keys.push(await ctx.idempotencyKey());
    if (ctx.resumed !== undefined) return "paid";
    return suspend([{ id: "q", type: "input", message: "PIN?" }], null);
  });
  const executor = executorFor(paying, { key });
  const outcome = await executor.startRun({ id: "run" }).execute(call("pay", {}));
  if (outcome.status !== "interrupted") throw new Error(outcome.status);
  const done = await executor.resume(outcome.interruption, [{ type: "input", value: "1" }]);
  expect(done.status).toBe("completed");
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
});
