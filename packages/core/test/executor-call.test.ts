import { expect, test } from "vitest";
import { assertCompleted, defineTool, ToolError } from "@toolweave/core";
import { call, executorFor, tool } from "./support/executor-for.ts";

const add = defineTool({
  name: "add",
  description: "Add two numbers.",
  input: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  output: { type: "number" },
  execute: ({ a, b }) => a + b,
});

test("executor.call runs the tool, or the tool of that name, and each call has an id of its own", async () => {
  const executor = executorFor(add);
  const [one, two] = [
    await executor.call(add, { a: 1, b: 2 }),
    await executor.call("add", { a: 3, b: 4 }),
  ];
  expect([one.ok, one.result?.value, two.ok, two.result?.value]).toEqual([true, 3, true, 7]);
  expect(one.result?.callId).not.toBe(two.result?.callId);
});

test("executor.call passes the options of the run and of the call", async () => {
  const whoAmI = tool("who_am_i", (_, ctx) => (ctx.injected as { user: string }).user);
  const outcome = await executorFor(whoAmI).call(
    "who_am_i",
    {},
    { injected: { user: "ada" }, deadlineMs: 1000 },
  );
  expect(outcome.result?.content).toEqual([{ type: "text", text: "ada" }]);
});

test("an outcome is ok when the tool ran and its answer is no error", async () => {
  const executor = executorFor([
    tool("fine"),
    tool("missing", () => ({ content: [], isError: true })),
    tool("throws", () => {
      throw new Error("no");
    }),
    tool("asks", undefined, { needsApproval: true }),
  ]);
  const outcomes = await Promise.all(
    ["fine", "missing", "throws", "asks"].map((name) => executor.execute(call(name))),
  );
  expect(outcomes.map(({ status, ok }) => [status, ok])).toEqual([
    ["completed", true],
    ["completed", false],
    ["failed", false],
    ["interrupted", false],
  ]);
  const thrown = outcomes.map((outcome) => {
    try {
      assertCompleted(outcome);
      return "none";
    } catch (error) {
      return (error as ToolError).code;
    }
  });
  expect(thrown).toEqual(["none", "execution_failed", "execution_failed", "permission_denied"]);
  expect(() => assertCompleted(outcomes[3] as never)).toThrow(
    "The call of asks waits for a person: answer its interruption with executor.resume(interruption, answers).",
  );
});
