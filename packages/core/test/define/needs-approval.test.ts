import { describe, expect, test } from "vitest";
import { defineTool } from "@toolweave/core";
import { call, executorFor } from "../support/executor-for.ts";
import { completed, getInterruption } from "../support/outcomes.ts";

const input = {
  type: "object",
  properties: { amount: { type: "number" } },
  required: ["amount"],
} as const;
const pay = (needsApproval: boolean | ((args: { amount: number }) => boolean | Promise<boolean>)) =>
  executorFor(
    defineTool({
      name: "pay",
      description: "",
      input,
      needsApproval,
      execute: ({ amount }) => amount,
    }),
  );

describe("needsApproval", () => {
  test("true asks before every call", async () => {
    const interruption = getInterruption(await pay(true).execute(call("pay", { amount: 1 }, "c1")));
    expect(interruption.requests).toEqual([
      {
        id: "c1:1",
        type: "approval",
        permission: { kind: "custom.call", target: "pay", summary: "Call pay" },
        reason: "this tool always needs approval (needsApproval)",
        remedy:
          'Add { "effect": "allow", "tools": "pay", "annotations": { "needsApprovalHint": true } } to the rules of the policy.',
        grant: expect.objectContaining({ tool: "pay" }),
      },
    ]);
  });

  test("false asks before none", async () => {
    expect(completed(await pay(false).execute(call("pay", { amount: 1 }))).result.value).toBe(1);
  });

  test.each([
    ["a function", ({ amount }: { amount: number }) => amount > 100],
    ["an asynchronous function", async ({ amount }: { amount: number }) => amount > 100],
  ])("%s decides by the arguments", async (_, decide) => {
    const executor = pay(decide);
    expect((await executor.execute(call("pay", { amount: 100 }))).status).toBe("completed");
    expect((await executor.execute(call("pay", { amount: 101 }))).status).toBe("interrupted");
  });

  test("that throws refuses the call: the tool does not run", async () => {
    let ran = false;
    const executor = executorFor(
      defineTool({
        name: "pay",
        description: "",
        input,
        needsApproval: () => {
          throw new Error("no idea");
        },
        execute: () => (ran = true),
      }),
    );
    const outcome = await executor.execute(call("pay", { amount: 1 }));
    expect([outcome.status, ran]).toEqual(["failed", false]);
  });

  test("receives the final arguments, after the hooks", async () => {
    const executor = executorFor(
      defineTool({
        name: "pay",
        description: "",
        input,
        needsApproval: ({ amount }) => amount > 100,
      }),
      { hooks: [{ beforeCall: () => ({ arguments: { amount: 1000 } }) }] },
    );
    expect(
      getInterruption(await executor.execute(call("pay", { amount: 1 }))).call.arguments,
    ).toEqual({
      amount: 1000,
    });
  });
});
