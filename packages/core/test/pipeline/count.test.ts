import { describe, expect, test } from "vitest";
import { suspend, type RunLimits } from "@toolweave/core";
import { call, executorFor, recorded, tool } from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption } from "../support/outcomes.ts";

const tools = [
  tool("a"),
  tool("b"),
  tool("strict", () => 1, { input: { type: "object", required: ["x"] } }),
  tool("ask", () => "asked", { needsApproval: true }),
];

describe("a limit of calls", () => {
  test("applies to the whole run, refuses at once, and the text has the next step", async () => {
    const run = executorFor(tools).startRun({ limits: { calls: 2 } });
    completed(await run.execute(call("a")));
    completed(await run.execute(call("b")));
    const { error, result } = failed(await run.execute(call("a")));
    expect([error.code, error.audience, result.durationMs]).toEqual(["limit_exceeded", "host", 0]);
    expect(error.message).toBe(
      "This run has used all of its 2 tool calls. Answer with what you have.",
    );
  });

  test("may be set for each tool", async () => {
    const run = executorFor(tools).startRun({ limits: { callsPerTool: 1 } });
    completed(await run.execute(call("a")));
    completed(await run.execute(call("b")));
    expect(failed(await run.execute(call("a"))).error.message).toBe(
      "This run has called a 1 times, which is all it may. Answer with what you have.",
    );
  });

  test("counts a call that fails in its work, not one that is refused before", async () => {
    const failing = tool("fails", () => {
      throw new Error("no");
    });
    const run = executorFor([...tools, failing], {
      hooks: [{ when: ({ spec }) => spec.name === "b", beforeCall: () => ({ block: "not b" }) }],
    }).startRun({ limits: { calls: 2 } });
    for (const name of ["unknown", "strict", "b"]) failed(await run.execute(call(name)));
    expect(readCode(await run.execute(call("fails")))).toBe("execution_failed");
    completed(await run.execute(call("a")));
    expect(readCode(await run.execute(call("a")))).toBe("limit_exceeded");
  });

  test("releases a call while it waits for a person, and counts it again when it is resumed", async () => {
    const executor = executorFor(tools);
    const run = executor.startRun({ limits: { calls: 1 } });
    const waiting = getInterruption(await run.execute(call("ask")));
    const other = getInterruption(await run.execute(call("ask", {}, "2")));
    completed(await executor.resume(waiting, [{ type: "approve" }]));
    expect(readCode(await executor.resume(other, [{ type: "approve" }]))).toBe("limit_exceeded");
  });

  test("counts a call once that waits in the middle of its work", async () => {
    const executor = executorFor(
      tool("wizard", (_, { resumed }) =>
        resumed === undefined ? suspend([{ id: "q", type: "input", message: "?" }], null) : "done",
      ),
    );
    const run = executor.startRun({ limits: { calls: 1, callsPerTool: 1 } });
    const waiting = getInterruption(await run.execute(call("wizard")));
    completed(await executor.resume(waiting, [{ type: "input", value: 1 }]));
    expect(readCode(await run.execute(call("wizard")))).toBe("limit_exceeded");
  });

  test("of 0 refuses every call", async () => {
    const run = executorFor(tools).startRun({ limits: { calls: 0 } });
    expect(readCode(await run.execute(call("a")))).toBe("limit_exceeded");
  });

  test("is enforced for simultaneous calls", async () => {
    const executor = executorFor(tools);
    const run = executor.startRun({ limits: { calls: 3 } });
    const events = recorded(executor);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => run.execute(call("a"))));
    expect(outcomes.filter(({ status }) => status === "completed")).toHaveLength(3);
    expect(events.filter(({ type }) => type === "tool.started")).toHaveLength(3);
  });

  test.each<RunLimits>([{ calls: NaN }, { calls: -1 }, { callsPerTool: NaN }])(
    "that is invalid (%o) is refused when the run starts",
    (limits) => {
      expect(() => executorFor(tools).startRun({ limits })).toThrow(
        /limits\.\w+ is (NaN|-1); use 0 or more/,
      );
    },
  );
});
