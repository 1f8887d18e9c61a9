import { describe, expect, test } from "vitest";
import { checkAgentResults } from "../src/checks/agents.ts";
import { checkEffectsAtMostOnce, checkUnknownsHaveCauses } from "../src/checks/calls.ts";
import { checkBudgets } from "../src/checks/data.ts";
import { checkOutcomesStay } from "../src/checks/endings.ts";
import { readAgentEvents, type TimedAgentEvent } from "../src/history/agent-events.ts";
import { answer, effect } from "./support/history.ts";

const call = { runId: "run_1/part_1", callId: "act_1" };
const first = "worker 1.1";
const second = "worker 2.1";
const unknown = "This call of act was started before, and its outcome is not known: it has ended.";

const begin = (worker: string, time: number): TimedAgentEvent => ({
  // As the ledger has it.
  ...{ event: "begin", runId: "run_1", callId: "part_1/act_1", worker, time },
  attempt: `of ${worker}`,
});
const end = (worker: string, time: number): TimedAgentEvent => ({
  ...{ event: "end", attempt: `of ${worker}`, time },
});
const result = (text: string, time = 200): TimedAgentEvent => ({
  ...{ event: "result", ...call, worker: second, text, time },
});
const count = (event: "run" | "turn", times: number): readonly TimedAgentEvent[] =>
  Array.from({ length: times }, (_, index) => ({
    ...{ event, runId: "run_1", worker: first, time: index },
  }));

describe("the events of an agent", () => {
  test("a call is in flight until the ledger has its end, or for ever with a worker that was killed", () => {
    const { attempts } = readAgentEvents([begin(first, 10), begin(second, 30), end(second, 40)], 9);
    expect(attempts.map(({ worker, from, until }) => [worker, from, until])).toEqual([
      [first, 10, undefined],
      [second, 30, 40],
    ]);
  });

  test("an unknown outcome needs a kill of a worker with the call in flight", () => {
    const { attempts, answers } = readAgentEvents(
      [begin(first, 10), begin(second, 30), end(second, 40), result(unknown)],
      9,
    );
    expect(answers).toMatchObject([{ status: "failed", code: "outcome_unknown" }]);
    const kill = (worker: string, at: number) =>
      checkUnknownsHaveCauses({
        ...{ attempts, answers },
        faults: [{ kind: "kill", worker, from: at, until: at }],
      }).length;
    expect(kill(first, 20)).toBe(0);
    expect(kill(first, 5)).toBe(1);
    expect(kill(second, 50)).toBe(1);
  });

  test("a result that differs when a model reads it again is reported", () => {
    const twice = (text: string) =>
      checkOutcomesStay(readAgentEvents([result('{"receipt":"a"}'), result(text, 300)], 9));
    expect(twice('{"receipt":"a"}')).toEqual([]);
    expect(twice('{"receipt":"b"}').map(({ invariant }) => invariant)).toEqual(["I3"]);
  });

  test("turns of a run and of its sub-agent count together, and each start after the first as a recovery", () => {
    const check = (starts: number, turns: number) =>
      checkBudgets(readAgentEvents([...count("run", starts), ...count("turn", turns)], 9)).length;
    expect(check(1, 9)).toBe(0);
    expect(check(1, 10)).toBe(1);
    expect(check(3, 11)).toBe(0);
    expect(check(3, 12)).toBe(1);
  });

  test("the calls of a run and of its sub-agent have effects of their own", () => {
    const effects = [
      effect({ runId: "run_1", callId: "act_1" }),
      effect({ runId: "run_1", callId: "part_1/act_1" }),
    ];
    expect(checkEffectsAtMostOnce({ effects })).toEqual([]);
    expect(checkEffectsAtMostOnce({ effects: [...effects, ...effects] })).toHaveLength(2);
  });
});

describe("the results that a model reads", () => {
  test("other errors than an unknown outcome are reported", () => {
    const refused = "act was not run: the call ledger does not answer. Call it again later.";
    const { answers } = readAgentEvents(
      [result('{"receipt":"a"}'), result(unknown), result(refused)],
      9,
    );
    expect(checkAgentResults({ answers }).map(({ invariant }) => invariant)).toEqual(["I4"]);
    expect(answers.at(-1)).toMatchObject({ hasNotRun: true });
  });

  test("results of other tools are not their matter", () => {
    const answers = [answer({ status: "failed", code: "rate_limited" })];
    expect(checkAgentResults({ answers })).toEqual([]);
  });
});
