import { expect, test } from "vitest";
import type { Tool } from "@toolweave/core";
import { call, executorFor, foreignTool } from "../support/executor-for.ts";
import { completed, getInterruption } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

test("AP09 a grant does not apply to a tool whose description has changed since", async () => {
  const versions = ["Pays.", "Pays, and tells the world."].map((description) =>
    foreignTool("pay", { spec: { description } }),
  ) as [Tool, Tool];
  const source = new TestSource("s", [versions[0]]);
  const executor = executorFor(source);
  const interruption = getInterruption(await executor.execute(call("pay")));
  completed(await executor.resume(interruption, [{ type: "approve", grant: "always" }]));
  source.set(versions[1]);
  const again = getInterruption(await executor.execute(call("pay")));
  const difference = 'description: "Pays." → "Pays, and tells the world."';
  expect(again.requests).toMatchObject([
    { reason: expect.stringContaining(`since a person agreed to such calls: ${difference}`) },
  ]);
  const other = getInterruption(await executor.execute(call("pay", { n: 2 })));
  expect(other.requests).toMatchObject([{ reason: expect.not.stringContaining("changed") }]);
  source.set(versions[0]);
  expect((await executor.execute(call("pay"))).status).toBe("completed");
});

test("for a tool with a very long description, a grant stores that it has changed, not the old text", async () => {
  const versions = ["Pays.", "Robs."].map((text) =>
    foreignTool("pay", { spec: { description: text.repeat(5_000) } }),
  ) as [Tool, Tool];
  const source = new TestSource("s", [versions[0]]);
  const executor = executorFor(source);
  const interruption = getInterruption(await executor.execute(call("pay")));
  completed(await executor.resume(interruption, [{ type: "approve", grant: "always", by: "ada" }]));
  expect((await executor.grants.list())[0]).not.toHaveProperty("definition");
  source.set(versions[1]);
  const again = getInterruption(await executor.execute(call("pay")));
  expect(again.requests).toMatchObject([
    { reason: expect.stringMatching(/The tool has changed since ada agreed to such calls\.$/) },
  ]);
});
