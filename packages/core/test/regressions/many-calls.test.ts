import { describe, expect, test } from "vitest";
import { suspend, type ToolOutcome } from "@toolweave/core";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { readCode, completed, getInterruption, textFor } from "../support/outcomes.ts";

/** Defects that users of other libraries have reported about several calls in one turn. */

describe("langchainjs #11125: rejecting one call drops its approved siblings", () => {
  test("the approved ones run, and every call has its result", async () => {
    const ran: unknown[] = [];
    const executor = executorFor(
      tool("delete", ({ file }) => (ran.push(file), `deleted ${file as string}`), {
        needsApproval: true,
      }),
    );
    const run = executor.startRun();
    const interrupted = await run.executeAll(
      ["a", "b", "c"].map((file) => call("delete", { file }, `call_${file}`)),
    );
    const [a, b, c] = interrupted.map(getInterruption);
    expect(ran).toEqual([]);
    const outcomes: ToolOutcome[] = [
      await executor.resume(a as never, [{ type: "approve" }]),
      await executor.resume(b as never, [{ type: "reject", reason: "Keep it." }]),
      await executor.resume(c as never, [{ type: "approve" }]),
    ];
    expect(ran).toEqual(["a", "c"]);
    expect(readCode(outcomes[1])).toBe("approval_rejected");
    expect(outcomes.map((outcome) => [getId(outcome), textFor(outcome)])).toEqual([
      ["call_a", "deleted a"],
      ["call_b", "A person rejected this call of delete. Reason: Keep it. Do not repeat it."],
      ["call_c", "deleted c"],
    ]);
  });

  test("they can be answered in any order, or all at once", async () => {
    const ran: unknown[] = [];
    const executor = executorFor(
      tool("delete", ({ file }) => void ran.push(file), { needsApproval: true }),
    );
    const interrupted = await executor
      .startRun()
      .executeAll(["a", "b", "c"].map((file) => call("delete", { file }, file)));
    const outcomes = await Promise.all(
      interrupted
        .map(getInterruption)
        .toReversed()
        .map((interruption) =>
          executor.resume(interruption, [
            { type: interruption.call.id === "c" ? "reject" : "approve" },
          ]),
        ),
    );
    expect(ran.toSorted()).toEqual(["a", "b"]);
    expect(outcomes.map(({ status }) => status)).toEqual(["failed", "completed", "completed"]);
  });

  test("an in-process approver that rejects one lets the others run", async () => {
    const ran: unknown[] = [];
    const executor = executorFor(
      tool("delete", ({ file }) => void ran.push(file), { needsApproval: true }),
      { onAsk: ({ callId }) => ({ approved: callId !== "b" }) },
    );
    const outcomes = await executor
      .startRun()
      .executeAll(["a", "b", "c"].map((file) => call("delete", { file }, file)));
    expect(ran).toEqual(["a", "c"]);
    expect(outcomes.map(getId)).toEqual(["a", "b", "c"]);
  });
});

describe("langchainjs #9843: one tool's error or bad name kills the run", () => {
  test("the others run, each call has an answer for the model, and the run continues", async () => {
    const executor = executorFor([
      tool("good", () => "fine"),
      tool("bad", () => {
        throw new TypeError("x is undefined");
      }),
    ]);
    const run = executor.startRun();
    const calls = [call("good", {}, "1"), call("bad", {}, "2"), call("godo", {}, "3")];
    const outcomes = await run.executeAll([...calls, call("good", "{not json", "4")]);
    expect(outcomes.map(getId)).toEqual(["1", "2", "3", "4"]);
    expect(outcomes.map(textFor)).toEqual([
      "fine",
      "bad failed: x is undefined",
      'There is no tool "godo". Did you mean good?',
      expect.stringContaining("not valid JSON"),
    ]);
    completed(await run.execute(call("good")));
  });
});

describe("mastra #16468: two parallel suspensions of one tool", () => {
  function asking() {
    return executorFor(
      tool("confirm", ({ city }, { resumed }) => {
        const [answer] = resumed?.answers ?? [];
        if (resumed === undefined) {
          const request = { id: "sure", type: "input", message: `${city as string}?` } as const;
          return suspend([request], { city: city as string });
        }
        const { city: kept } = resumed.state as { city: string };
        return `${kept}: ${answer?.type === "input" ? String(answer.value) : "no"}`;
      }),
    );
  }

  test.each(["parallel", "sequential"] as const)(
    "are two interruptions (%s), each resumed with its own state and answer, in any order",
    async (strategy) => {
      const executor = asking();
      const outcomes = await executor
        .startRun()
        .executeAll(
          [call("confirm", { city: "Bonn" }, "1"), call("confirm", { city: "Ulm" }, "2")],
          { strategy },
        );
      const [bonn, ulm] = outcomes.map(getInterruption);
      expect(bonn?.id).not.toBe(ulm?.id);
      const second = await executor.resume(ulm as never, [{ type: "input", value: "yes" }]);
      const first = await executor.resume(bonn as never, [{ type: "input", value: "maybe" }]);
      expect([first, second].map((outcome) => [getId(outcome), textFor(outcome)])).toEqual([
        ["1", "Bonn: maybe"],
        ["2", "Ulm: yes"],
      ]);
    },
  );

  test("of calls that share their id are two interruptions, each resumed with its own state and answer", async () => {
    const executor = asking();
    const same = [call("confirm", { city: "Bonn" }, "x"), call("confirm", { city: "Ulm" }, "x")];
    const outcomes = await executor.startRun().executeAll(same);
    const [bonn, ulm] = outcomes.map(getInterruption);
    expect(bonn?.id).not.toBe(ulm?.id);
    const second = await executor.resume(ulm as never, [{ type: "input", value: "yes" }]);
    const first = await executor.resume(bonn as never, [{ type: "input", value: "maybe" }]);
    expect([first, second].map(textFor)).toEqual(["Bonn: maybe", "Ulm: yes"]);
  });
});

/** The id that a result belongs to. */
function getId(outcome: ToolOutcome): string {
  return outcome.status === "interrupted" ? outcome.interruption.call.id : outcome.result.callId;
}
