import { expect, test } from "vitest";
import { call, executorFor, foreignTool } from "../support/executor-for.ts";
import { completed } from "../support/outcomes.ts";
import { Collected } from "./collected.ts";

test("a span has no description if a source gives none, and the call is not affected", async () => {
  const collected = new Collected();
  const odd = foreignTool("odd", { spec: { description: 5 as never } });
  const policy = { preset: "autonomous" } as const;
  const executor = executorFor(odd, { policy, hooks: [collected.hook()] });
  completed(await executor.execute(call("odd")));
  const [span] = await collected.spans();
  expect(span!.attributes).not.toHaveProperty(["gen_ai.tool.description"]);
});
