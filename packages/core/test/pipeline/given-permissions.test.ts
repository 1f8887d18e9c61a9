import { expect, test } from "vitest";
import type { PermissionRequest } from "@toolweave/core";
import { call, executorFor, foreignTool } from "../support/executor-for.ts";
import { completed } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

function request(kind: string): PermissionRequest {
  return { kind, target: "x", summary: kind };
}

test("the permissions of a call are in the context of its tool when it runs", async () => {
  const seen: unknown[] = [];
  const proposes = foreignTool("t", {
    preflight: () => [request("fs.read"), request("custom.mine")],
    invoke: (_args, ctx) => {
      seen.push(ctx.permissions);
      return "done";
    },
  });
  const plain = foreignTool("u", {
    invoke: (_args, ctx) => {
      seen.push(ctx.permissions);
      return "done";
    },
  });
  const executor = executorFor(new TestSource("s", [proposes, plain], { trusted: true }), {
    policy: "autonomous",
  });
  completed(await executor.execute(call("t")));
  completed(await executor.execute(call("u")));
  expect(seen).toEqual([[request("fs.read"), request("custom.mine")], undefined]);
});
