import { expect, test } from "vitest";
import type { JsonObject } from "@toolweave/core";
import { call, executorFor, guarded } from "../support/executor-for.ts";
import { completed, failed, getInterruption } from "../support/outcomes.ts";

test("without grants an approval holds for one call: no other is offered, taken or looked up", async () => {
  const ran: JsonObject[] = [];
  const executor = executorFor(guarded(ran), { grants: false });
  const first = getInterruption(await executor.execute(call("pay", { n: 1 })));
  expect(first.requests[0]).not.toHaveProperty("grant");
  expect(
    failed(await executor.resume(first, [{ type: "approve", grant: "always" }])).error.code,
  ).toBe("approval_invalid");
  completed(await executor.resume(first, [{ type: "approve" }]));
  getInterruption(await executor.execute(call("pay", { n: 1 })));
  expect(ran).toEqual([{ n: 1 }]);
  expect(await executor.grants.list()).toEqual([]);
});
