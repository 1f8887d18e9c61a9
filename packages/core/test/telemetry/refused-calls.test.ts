import { context, metrics, SpanStatusCode, trace } from "@opentelemetry/api";
import { afterEach, beforeEach, expect, test } from "vitest";
import { call, executorFor, foreignTool, tool } from "../support/executor-for.ts";
import { Collected, followContexts } from "./collected.ts";

beforeEach(followContexts);
afterEach(() => {
  context.disable();
  trace.disable();
  metrics.disable();
});

test("spans name the caller and the agent, metrics only if they are asked to", async () => {
  const plain = new Collected();
  const detailed = new Collected();
  const executor = executorFor(tool("t"), {
    hooks: [plain.hook(), detailed.hook({ metricsByCaller: true })],
  });
  const caller = { id: "ada", roles: ["admin"], agent: "desk" };
  await executor.execute(call("t"), { caller });
  await executor.execute(call("made_up"), { caller });
  const names = { "enduser.id": "ada", "gen_ai.agent.name": "desk" };
  for (const span of [...(await plain.spans()), ...(await detailed.spans())]) {
    expect(span.attributes).toMatchObject(names);
  }
  for (const metric of ["gen_ai.execute_tool.duration", "toolweave.tool.rejected"]) {
    const [unnamed] = await plain.points(metric);
    expect(Object.keys(unnamed!.attributes)).not.toContain("enduser.id");
    const [named] = await detailed.points(metric);
    expect(named!.attributes).toMatchObject(names);
  }
});

test("a refused call has a span with its code and no duration, and is counted without the name that a model may have invented", async () => {
  const collected = new Collected();
  const executor = executorFor([tool("t"), foreignTool("denied")], {
    hooks: [collected.hook()],
    onAsk: "deny",
  });
  await executor.execute(call("made_up"));
  await executor.execute(call("t", "{"));
  await executor.execute(call("denied"));
  const spans = await collected.spans();
  expect(spans.map(({ name, attributes, status }) => [name, attributes, status.code])).toEqual(
    [
      ["execute_tool", "made_up", "not_found"],
      ["execute_tool t", "t", "invalid_arguments"],
      ["execute_tool denied", "denied", "permission_denied"],
    ].map(([name, called, code]) => [
      name,
      {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": called,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": expect.any(String),
        "error.type": code,
      },
      SpanStatusCode.ERROR,
    ]),
  );
  expect(await collected.points("gen_ai.execute_tool.duration")).toEqual([]);
  const points = await collected.points<number>("toolweave.tool.rejected");
  expect(points.map(({ attributes, value }) => [attributes, value])).toEqual([
    [{ "error.type": "not_found" }, 1],
    [{ "error.type": "invalid_arguments" }, 1],
    [{ "error.type": "permission_denied" }, 1],
  ]);
});
