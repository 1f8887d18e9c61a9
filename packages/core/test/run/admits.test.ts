import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { call, executorFor, recorded, tool, listTypes } from "../support/executor-for.ts";
import { readCode, completed, getInterruption } from "../support/outcomes.ts";

function setUp(hooked: string[] = []) {
  const ran: string[] = [];
  const executor = executorFor(
    [
      tool("a", () => void ran.push("a")),
      tool("ask", () => void ran.push("ask"), { needsApproval: true }),
      tool("strict", () => 1, { input: { type: "object", required: ["x"] } }),
    ],
    { hooks: [{ beforeCall: ({ spec }) => void hooked.push(spec.name) }] },
  );
  return { executor, ran };
}

describe("a check whether a call would run", () => {
  test("returns nothing if it would: it has not run, is not counted, and nothing was emitted", async () => {
    const { executor, ran } = setUp();
    const events = recorded(executor);
    const run = executor.startRun({ limits: { calls: 1 } });
    for (let time = 0; time < 3; time++)
      expect(await run.checkAdmission(call("a"))).toBe(undefined);
    expect([ran, listTypes(events)]).toEqual([[], []]);
    completed(await run.execute(call("a")));
    expect(readCode(await run.checkAdmission(call("a")))).toBe("limit_exceeded");
  });

  test("returns the refusal if it would be refused, and emits it", async () => {
    const { executor } = setUp();
    const events = recorded(executor);
    const run = executor.startRun();
    expect(readCode(await run.checkAdmission(call("strict")))).toBe("invalid_arguments");
    expect(readCode(await run.checkAdmission(call("unknown")))).toBe("not_found");
    expect(listTypes(events)).toEqual([
      ...["tool.requested", "tool.rejected"],
      ...["tool.requested", "tool.rejected"],
    ]);
  });

  test("returns the interruption if a person must approve, to be resumed", async () => {
    const { executor, ran } = setUp();
    const events = recorded(executor);
    const interruption = getInterruption(await executor.startRun().checkAdmission(call("ask")));
    expect(listTypes(events)).toEqual(["tool.requested", "tool.interrupted"]);
    completed(await executor.resume(interruption, [{ type: "approve" }]));
    expect(ran).toEqual(["ask"]);
  });

  test("can be cancelled", async () => {
    const executor = executorFor(tool("a"), {
      hooks: [{ beforeCall: () => new Promise(() => {}) }],
    });
    const run = executor.startRun();
    expect(readCode(await run.checkAdmission(call("a"), { signal: AbortSignal.abort() }))).toBe(
      "cancelled",
    );
    const outcome = run.checkAdmission(call("a"));
    await settled();
    run.cancel();
    expect(readCode(await outcome)).toBe("cancelled");
    expect(readCode(await run.checkAdmission(call("a")))).toBe("cancelled");
  });
});

describe("executing an admitted call", () => {
  test("continues after the admission: no hook and no approver is called twice", async () => {
    const hooked: string[] = [];
    const { executor, ran } = setUp(hooked);
    const events = recorded(executor);
    const run = executor.startRun();
    const asked = call("a");
    expect(await run.checkAdmission(asked)).toBe(undefined);
    completed(await run.execute(asked));
    expect([hooked, ran]).toEqual([["a"], ["a"]]);
    expect(listTypes(events)).toEqual([
      "tool.requested",
      "tool.authorized",
      "tool.started",
      "tool.completed",
    ]);
    completed(await run.execute(asked));
    expect(hooked).toEqual(["a", "a"]);
  });

  test("asks an approver once, and runs the approved call, whatever happened to the object since", async () => {
    let asks = 0;
    const got: unknown[] = [];
    const executor = executorFor(
      tool("pay", (args) => void got.push(args), { needsApproval: true }),
      { onAsk: () => ((asks += 1), { approved: true }) },
    );
    const run = executor.startRun();
    const args = { amount: 5 };
    const asked = call("pay", args);
    expect(await run.checkAdmission(asked)).toBe(undefined);
    args.amount = 5000;
    completed(await run.execute(asked));
    expect([asks, got]).toEqual([1, [{ amount: 5 }]]);
  });

  test("counts again against the limits", async () => {
    const { executor } = setUp();
    const run = executor.startRun({ limits: { calls: 1 } });
    const asked = call("a");
    expect(await run.checkAdmission(asked)).toBe(undefined);
    completed(await run.execute(call("a")));
    expect(readCode(await run.execute(asked))).toBe("limit_exceeded");
  });

  test("is cancelled with the run, and by its own signal", async () => {
    const { executor, ran } = setUp();
    const run = executor.startRun();
    const [one, two] = [call("a"), call("a")];
    await run.checkAdmission(one);
    await run.checkAdmission(two);
    expect(readCode(await run.execute(one, { signal: AbortSignal.abort() }))).toBe("cancelled");
    run.cancel();
    expect(readCode(await run.execute(two))).toBe("cancelled");
    expect(ran).toEqual([]);
  });

  test("has the timeout of this call", async () => {
    const clock = new FakeClock();
    const executor = executorFor(
      tool("slow", () => new Promise(() => {})),
      { clock },
    );
    const run = executor.startRun();
    const asked = call("slow");
    await run.checkAdmission(asked);
    const outcome = run.execute(asked, { timeoutMs: 5 });
    await clock.advance(5);
    expect(readCode(await outcome)).toBe("timeout");
  });

  test("in another run starts from the beginning", async () => {
    const hooked: string[] = [];
    const { executor } = setUp(hooked);
    const asked = call("a");
    await executor.startRun().checkAdmission(asked);
    completed(await executor.startRun().execute(asked));
    expect(hooked).toEqual(["a", "a"]);
  });
});
