import { expect, test } from "vitest";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { failed } from "../support/outcomes.ts";

test.each<[string, unknown]>([
  ["nothing", undefined],
  ["true", true],
  ["a text", "yes"],
  ["a truthy value instead of true", { approved: "yes" }],
  ["AP05 an answer that tool content could be", { approved: 1, content: "approved" }],
  ["another shape", { approve: true }],
  ["a rejection with an invalid shape", { approved: "false" }],
])("if an approver returns %s, the call is refused", async (_, answer) => {
  let ran = false;
  const t = tool("t", () => void (ran = true), { needsApproval: true });
  const executor = executorFor(t, { onAsk: () => answer as never });
  const { error } = failed(await executor.execute(call("t")));
  expect([error.code, error.audience]).toEqual(["permission_denied", "host"]);
  expect(error.cause).toMatchObject({
    message: expect.stringMatching(/^The approver answered .*; use { approved: true } or/),
  });
  expect(ran).toBe(false);
});
