import { describe, expect, test } from "vitest";
import { checkAgentResults } from "../src/checks/agents.ts";
import { checkEffectsAtMostOnce, checkUnknownsHaveCauses } from "../src/checks/calls.ts";
import { checkBudgets } from "../src/checks/data.ts";
import { checkOutcomesStay } from "../src/checks/endings.ts";
import type { Fault } from "../src/history/history.ts";
import { toHandOverFaults } from "../src/history/hand-overs.ts";
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
const run = (worker: string, epoch: number, time = 5): TimedAgentEvent => ({
  ...{ event: "run", runId: "run_1", worker, start: `of ${worker}`, epoch, time },
});
const runEnd = (worker: string, time: number): TimedAgentEvent => ({
  ...{ event: "run-end", start: `of ${worker}`, time },
});
const runs = (times: number): readonly TimedAgentEvent[] =>
  Array.from({ length: times }, (_, index) => run(`worker ${index}.1`, index + 1));
const turns = (times: number): readonly TimedAgentEvent[] =>
  Array.from({ length: times }, (_, time) => ({
    ...{ event: "turn", runId: "run_1", worker: first, time },
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
    const check = (starts: number, asked: number) =>
      checkBudgets(readAgentEvents([...runs(starts), ...turns(asked)], 9)).length;
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

describe("a run that its engine has given to another worker", () => {
  const handOver = { runId: "run_1", epoch: 1, time: 20 };
  const handedOver = [run(first, 1), run(second, 2, 25)];
  const find = (events: readonly TimedAgentEvent[], faults: readonly Fault[] = []) =>
    toHandOverFaults([handOver], events, faults);
  const kill = (worker: string, at: number): Fault => ({
    ...{ kind: "kill", worker, from: at, until: at },
  });

  test("is a fault of the worker that had it, for that run, until it has ended the run or is killed", () => {
    const fault = { kind: "hand-over", worker: first, runId: "run_1", from: 20 };
    expect(find(handedOver)).toEqual([{ ...fault, until: Infinity }]);
    expect(find([...handedOver, runEnd(first, 40)])).toEqual([{ ...fault, until: 40 }]);
    expect(find(handedOver, [kill(first, 30)])).toEqual([{ ...fault, until: 30 }]);
    // It was so slow that it has recorded its start afterwards.
    expect(find([run(first, 1, 24), run(second, 2, 25)])).toEqual([{ ...fault, until: Infinity }]);
  });

  test("is one fault each time that it is handed over", () => {
    const twice = toHandOverFaults([handOver, { ...handOver, epoch: 2, time: 50 }], handedOver, []);
    expect(twice.map(({ worker, from }) => [worker, from])).toEqual([
      [first, 20],
      [second, 50],
    ]);
  });

  test("is none of a slow worker if its worker was killed before, has ended the run, or has not started it", () => {
    expect(find(handedOver, [kill(first, 10)])).toEqual([]);
    expect(find([...handedOver, runEnd(first, 10)])).toEqual([]);
    expect(find([run(second, 2, 25)])).toEqual([]);
  });

  test("explains an unknown outcome of a call that the slow worker had in flight, and of no other", () => {
    const check = (events: readonly TimedAgentEvent[], faults: readonly Fault[]) =>
      checkUnknownsHaveCauses({ ...readAgentEvents([...events, result(unknown)], 9), faults }).map(
        ({ invariant }) => invariant,
      );
    const slow = [begin(first, 10), begin(second, 30), end(second, 32), end(first, 35)];
    expect(check(slow, find([...handedOver, runEnd(first, 36)]))).toEqual([]);
    expect(check(slow, [])).toEqual(["I6"]);
    expect(check(slow, [{ ...(find(handedOver)[0] as Fault), runId: "run_2" }])).toEqual(["I6"]);
    const ended = [begin(first, 10), end(first, 15), begin(second, 30), end(second, 32)];
    expect(check(ended, find([...handedOver, runEnd(first, 36)]))).toEqual(["I6"]);
    const later = [begin(first, 50), end(first, 55)];
    expect(check(later, find([...handedOver, runEnd(first, 36)]))).toEqual(["I6"]);
  });

  test("may cost one turn more, as after a kill: a second one is reported, and so is any without it", () => {
    const check = (starts: readonly TimedAgentEvent[], asked: number) =>
      checkBudgets(readAgentEvents([...starts, ...turns(asked)], 9)).map(
        ({ invariant }) => invariant,
      );
    expect(check(handedOver, 10)).toEqual([]);
    expect(check(handedOver, 11)).toEqual(["I10"]);
    expect(check([run(first, 1)], 10)).toEqual(["I10"]);
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
