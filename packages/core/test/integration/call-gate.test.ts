import { describe, expect, test } from "vitest";
import { defineTool, ToolExecutor, ToolRegistry, type RunOptions } from "../../src/index.ts";
import { CallGate, toToolCall } from "../../src/integration/index.ts";

function bank(): { executor: ToolExecutor; paid: number[]; gate: (run?: RunOptions) => CallGate } {
  const paid: number[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pay.",
    input: { type: "object", properties: { bill: { type: "integer" } }, required: ["bill"] },
    needsApproval: true,
    execute: ({ bill }) => void paid.push(bill),
  });
  const executor = new ToolExecutor({ registry: new ToolRegistry([pay]) });
  const gate = (options?: RunOptions): CallGate =>
    new CallGate({ executor, run: options && executor.startRun(options) });
  return { executor, paid, gate };
}

const call = { id: "c1", name: "pay", input: { bill: 7 } };
const refused = {
  code: "approval_invalid",
  message: expect.stringMatching(/^pay was not run now/),
};

describe("a call that needs approval", () => {
  test("runs once if a person has approved it, in a later gate of the same executor", async () => {
    const { gate, paid } = bank();
    expect(await gate().requestApproval(call)).toMatchObject({ call: { name: "pay" } });
    expect(await gate().execute(call, true)).toMatchObject({ status: "completed" });
    await expect(gate().execute(call, true)).rejects.toMatchObject(refused);
    expect(paid).toEqual([7]);
  });

  test.each([
    ["other arguments", { ...call, input: { bill: 8 } }, true],
    ["another id", { ...call, id: "c2" }, true],
    ["no approval", call, false],
  ])("does not run with %s", async (_, other, isApproved) => {
    const { gate, paid } = bank();
    await gate().requestApproval(call);
    await expect(gate().execute(other, isApproved)).rejects.toMatchObject(refused);
    expect(paid).toEqual([]);
  });

  test("does not run for a caller other than the approval's", async () => {
    const { gate, paid } = bank();
    await gate({ caller: { id: "ada" } }).requestApproval(call);
    const other = gate({ caller: { id: "bob" } }).execute(call, true);
    await expect(other).rejects.toMatchObject(refused);
    await gate({ caller: { id: "ada" } }).execute(call, true);
    expect(paid).toEqual([7]);
  });

  test("is refused by admission if its input nests too deeply to be serialized", async () => {
    let input: unknown = 1;
    for (let depth = 0; depth < 100_000; depth++) input = [input];
    const outcome = await bank()
      .gate()
      .execute({ ...call, input }, true);
    expect(outcome).toMatchObject({ status: "failed", error: { code: "invalid_arguments" } });
  });
});

test("a text of the model is not parsed as JSON, and an absent id is replaced", () => {
  expect(toToolCall({ name: "pay", input: '{"bill":7}' })).toMatchObject({
    id: expect.stringMatching(/./),
    arguments: '"{\\"bill\\":7}"',
  });
});
