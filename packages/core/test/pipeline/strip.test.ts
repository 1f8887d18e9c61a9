import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { defineTool, type JsonObject } from "@toolweave/core";
import type { InjectedParameter } from "@toolweave/core/adapter";
import { call, executorFor, foreignTool, recorded, tool } from "../support/executor-for.ts";
import { completed, failed } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

interface Seen {
  args: JsonObject;
  injected: unknown;
}

function tenantTool(
  seen: Seen[],
  parameter: Omit<InjectedParameter, "name"> = { required: false },
) {
  return defineTool({
    name: "list_orders",
    description: "",
    input: { type: "object", properties: { page: { type: "integer" } } },
    injected: [{ name: "tenantId", ...parameter }],
    execute: (args, { injected }) => void seen.push({ args: args as JsonObject, injected }),
  });
}

describe("an injected value", () => {
  test("AR01 that a model sends is discarded and recorded; the host's own is used", async () => {
    const seen: Seen[] = [];
    const executor = executorFor(tenantTool(seen));
    const events = recorded(executor);
    const run = executor.startRun({ injected: { tenantId: "mine" } });
    completed(await run.execute(call("list_orders", { tenantId: "other", page: 1 })));
    expect(seen).toEqual([{ args: { page: 1 }, injected: { tenantId: "mine" } }]);
    expect(events.find(({ type }) => type === "tool.started")).toMatchObject({
      discarded: ["tenantId"],
    });
  });

  test("AR03 that matches a loose schema is discarded, too", async () => {
    const seen: Seen[] = [];
    const executor = executorFor(
      defineTool({
        name: "loose",
        description: "",
        input: { type: "object", additionalProperties: true },
        injected: [{ name: "tenantId", required: false }],
        execute: (args, { injected }) => void seen.push({ args, injected }),
      }),
    );
    completed(await executor.execute(call("loose", { tenantId: "other", more: 1 })));
    expect(seen).toEqual([{ args: { more: 1 }, injected: undefined }]);
  });

  test("AR03 that an external schema even requires never reaches the tool from a model", async () => {
    const got: JsonObject[] = [];
    const source = new TestSource("s", [
      foreignTool("x", {
        spec: {
          inputSchema: { type: "object", properties: { token: { type: "string" } } },
          injected: [{ name: "token", required: false }],
        },
        invoke: (args) => void got.push(args),
      }),
    ]);
    completed(
      await executorFor(source, { policy: "autonomous" }).execute(call("x", { token: "stolen" })),
    );
    expect(got).toEqual([{}]);
  });

  test("AR02 under a similar name is data of the model's, never the host's", async () => {
    const seen: Seen[] = [];
    const run = executorFor(tenantTool(seen)).startRun({ injected: { tenantId: "mine" } });
    const args = { body: { tenantId: "x" }, "tenant-id": "x", TENANTID: "x", "ctx.tenantId": "x" };
    completed(await run.execute(call("list_orders", args)));
    expect(seen).toEqual([{ args, injected: { tenantId: "mine" } }]);
  });

  test("AR04 by way of __proto__ has no effect", async () => {
    const seen: Seen[] = [];
    const run = executorFor(tenantTool(seen)).startRun({ injected: { tenantId: "mine" } });
    completed(await run.execute(call("list_orders", '{"__proto__":{"tenantId":"x"}}')));
    expect(seen[0]?.args["tenantId"]).toBe(undefined);
    expect(seen[0]?.injected).toEqual({ tenantId: "mine" });
  });

  test("AR06 that a hook adds is discarded, and its other changes are validated again", async () => {
    const seen: Seen[] = [];
    const add = (more: JsonObject): Promise<unknown> =>
      executorFor(tenantTool(seen), {
        hooks: [{ beforeCall: (call) => ({ arguments: { ...call.arguments, ...more } }) }],
      }).execute(call("list_orders", { page: 1 }));
    completed((await add({ tenantId: "hook" })) as never);
    expect(seen).toEqual([{ args: { page: 1 }, injected: undefined }]);
    expect(failed((await add({ page: "one" })) as never).error.code).toBe("internal");
    expect(seen).toHaveLength(1);
  });

  test("AR07 is never read from the arguments: caller, signal and approval are the host's", async () => {
    let caller: unknown = "unset";
    const executor = executorFor(
      defineTool({
        name: "x",
        description: "",
        input: { type: "object" },
        needsApproval: true,
        execute: (_, ctx) => void (caller = ctx.caller),
      }),
    );
    const args = {
      _ctx: { caller: { id: "admin" } },
      caller: { id: "admin" },
      approval: "granted",
      approved: true,
    };
    const outcome = await executor.execute(call("x", args), { caller: { id: "ada" } });
    expect(outcome.status).toBe("interrupted");
    if (outcome.status === "interrupted")
      await executor.resume(outcome.interruption, [{ type: "approve" }]);
    expect(caller).toEqual({ id: "ada" });
  });
});

test("an injected value is in no run that is printed", () => {
  const run = executorFor(tool("t", () => "done")).startRun({
    injected: { token: "tok_4f9a0c2b" },
  });
  expect(run.injected).toEqual({ token: "tok_4f9a0c2b" });
  for (const printed of [inspect(run, { depth: 10, showHidden: true }), JSON.stringify(run)]) {
    expect(printed).not.toContain("tok_4f9a0c2b");
  }
});

describe("an injected value that a tool declares and does not call optional", () => {
  test.each([undefined, null, {}, { other: 1 }, { tenantId: undefined }, "text"])(
    "that the host does not supply (%j) fails the call as the host's defect",
    async (injected) => {
      const seen: Seen[] = [];
      const run = executorFor(tenantTool(seen, {})).startRun({ injected });
      const { error } = failed(await run.execute(call("list_orders")));
      expect([error.code, error.audience]).toEqual(["invalid_configuration", "host"]);
      expect(error.message).toBe(
        'list_orders needs the value "tenantId" from the host: pass it in startRun({ injected }).',
      );
      expect(seen).toEqual([]);
    },
  );

  test("may be any value, including a false one and one of a class", async () => {
    class Values {
      get tenantId(): number {
        return 0;
      }
    }
    const seen: Seen[] = [];
    const run = executorFor(tenantTool(seen, {})).startRun({ injected: new Values() });
    completed(await run.execute(call("list_orders")));
    expect(seen).toHaveLength(1);
  });
});

test("several injected values are all discarded, and named in order", async () => {
  const got: JsonObject[] = [];
  const executor = executorFor(
    defineTool({
      name: "x",
      description: "",
      input: { type: "object" },
      injected: [
        { name: "a", required: false },
        { name: "b", required: false },
        { name: "c", required: false },
      ],
      execute: (args) => void got.push(args),
    }),
  );
  const events = recorded(executor);
  completed(await executor.execute(call("x", { c: 1, a: 1, d: 1 })));
  expect(got).toEqual([{ d: 1 }]);
  expect(events.find(({ type }) => type === "tool.started")).toMatchObject({
    discarded: ["a", "c"],
  });
});

describe("a preflight", () => {
  const seeing = (seen: unknown[], injected: readonly InjectedParameter[] | undefined) =>
    new TestSource("s", [
      foreignTool("t", {
        ...(injected === undefined ? {} : { spec: { injected } }),
        preflight: (_, ctx) => (seen.push(ctx.injected), []),
      }),
    ]);

  test("receives the injected values that its tool names, except secret ones", async () => {
    const seen: unknown[] = [];
    const source = seeing(seen, [
      { name: "tenant" },
      { name: "token", secret: true },
      { name: "region", secret: false },
      { name: "missing", required: false },
    ]);
    const executor = executorFor(source, { policy: "autonomous" });
    const values = { tenant: "a", token: "s3cret", region: "eu", unnamed: "x" };
    completed(await executor.startRun({ injected: values }).execute(call("t")));
    expect(seen).toEqual([{ tenant: "a", region: "eu" }]);
  });

  test("receives none if there are none", async () => {
    const seen: unknown[] = [];
    const cases = [
      [undefined, { tenant: "a" }],
      [[{ name: "tenant", required: false }], undefined],
      [[{ name: "tenant", required: false }], "text"],
    ] as const;
    for (const [named, values] of cases) {
      const executor = executorFor(seeing(seen, named), { policy: "autonomous" });
      completed(await executor.startRun({ injected: values }).execute(call("t")));
    }
    expect(seen).toEqual([undefined, undefined, undefined]);
  });
});
