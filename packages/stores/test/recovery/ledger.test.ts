import { expect, test } from "vitest";
import { count, DurableRun } from "./support/durable-run.ts";

test("a durable run whose process dies at each point of a call has each effect at most once", async () => {
  const run = new DurableRun();
  const points = ["before the claim", "after the claim", "after the effect", "after the end"];
  for (const [call, point] of points.entries()) {
    expect(await run.drive(`${point} ${call}`)).toBe(false);
  }
  expect(await run.drive("to the end")).toBe(true);
  expect(run.violations).toEqual([]);

  const last = points.map((_, call) => run.readCodes(call).at(-1));
  expect(last).toEqual(["completed", "outcome_unknown", "outcome_unknown", "completed"]);
  // Only the call that was claimed and cut off before its effect has none.
  expect(run.effects).not.toContain("pay 1");
  expect(run.effects).toHaveLength(count - 1);
});
