import { describe, expect, test } from "vitest";
import { checkBucket } from "../src/checks/bucket.ts";
import {
  checkAnswersMatchEffects,
  checkApprovalsUsedOnce,
  checkApprovedCallsRan,
  checkEffectsAtMostOnce,
  checkUnknownsHaveCauses,
} from "../src/checks/calls.ts";
import { checkHistory } from "../src/checks/check-history.ts";
import { checkArtifacts, checkBudgets, checkRates, checkSecrets } from "../src/checks/data.ts";
import { checkEverythingEnds, checkOutcomesStay } from "../src/checks/endings.ts";
import type { BucketRow, BucketState, Violation } from "../src/history/history.ts";
import {
  answer,
  approved,
  attempt,
  correctBucket,
  correctHistory,
  effect,
} from "./support/history.ts";

const numbers = (violations: readonly Violation[]): readonly string[] =>
  violations.map(({ invariant }) => invariant);

const history = correctHistory;
const { tables } = history;

test("a correct history has no violations", () => {
  expect(checkHistory(history)).toEqual([]);
});

test("each invariant is reported by the check of a whole history", () => {
  const broken = {
    ...history,
    effects: [
      effect({ earliest: 1, time: 2 }),
      effect({ attempt: "a2", earliest: 1, time: 3 }),
      effect({ attempt: "a3", earliest: 1, time: 4 }),
    ],
    answers: [
      answer(),
      answer({ digest: "d2" }),
      answer({ callId: "call_2", status: "failed", code: "outcome_unknown" }),
    ],
    artifactReads: [{ key: "art_1", worker: "w", expected: "abc", found: "missing" }],
    operations: [{ id: "run_1", kind: "task", unfinished: "its time is over." }],
    budgets: [{ agent: "agent", limit: 5, used: 7, recoveries: 1 }],
    tables: { ...tables, dump: "a secret of the test" },
  };
  expect([...new Set(numbers(checkHistory(broken)))].sort()).toEqual(
    ["I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8", "I9", "I10"].sort(),
  );
});

describe("I1", () => {
  test("a call with two effects is reported, with both attempts", () => {
    const effects = [effect(), effect({ attempt: "a2", worker: "worker 2.1" })];
    const [violation, ...rest] = checkEffectsAtMostOnce({ effects });
    expect(rest).toEqual([]);
    expect(violation?.text).toContain("run_1/call_1 has 2 effects");
    expect(violation?.text).toContain("worker 2.1 (a2)");
  });

  test("calls of the same id in other runs are others", () => {
    const effects = [effect(), effect({ runId: "run_2" })];
    expect(checkEffectsAtMostOnce({ effects })).toEqual([]);
  });
});

describe("I2", () => {
  test("an approval that was used twice is reported", () => {
    const audit = [approved("i1"), approved("i1")];
    expect(numbers(checkApprovalsUsedOnce({ ...history, audit }))).toEqual(["I2"]);
  });

  test("an effect without an approval is reported", () => {
    expect(numbers(checkApprovalsUsedOnce({ ...history, audit: [] }))).toEqual(["I2"]);
  });

  test("a call that asked twice may have one effect with two approvals", () => {
    const approvals = ["i1", "i2"].map((interruptionId) => ({
      interruptionId,
      runId: "run_1",
      callId: "call_1",
    }));
    const audit = [approved("i1"), approved("i2")];
    expect(checkApprovalsUsedOnce({ ...history, approvals, audit })).toEqual([]);
  });
});

test("an approved call that has not run is reported, unless the store was unavailable", () => {
  const lost = { ...history, effects: [] };
  expect(numbers(checkApprovedCallsRan(lost))).toEqual(["once"]);
  const answers = [answer({ status: "failed", code: "store_unavailable" })];
  expect(checkApprovedCallsRan({ ...lost, answers })).toEqual([]);
  expect(checkApprovedCallsRan(history)).toEqual([]);
});

describe("I3", () => {
  test("another result after the first one is reported", () => {
    const answers = [answer(), answer({ attempt: "a2", at: 200, digest: "d2" })];
    expect(numbers(checkOutcomesStay({ answers }))).toEqual(["I3"]);
  });

  test("an error after a result is reported", () => {
    const failed = answer({ attempt: "a2", at: 200, status: "failed", code: "cancelled" });
    expect(numbers(checkOutcomesStay({ answers: [answer(), failed] }))).toEqual(["I3"]);
  });

  test("an unknown outcome is reported if it was asked for after the result", () => {
    const unknown = { attempt: "a2", at: 200, status: "failed", code: "outcome_unknown" } as const;
    const after = [answer(), answer({ ...unknown, from: 150 })];
    const meanwhile = [answer(), answer({ ...unknown, from: 100 })];
    expect(numbers(checkOutcomesStay({ answers: after }))).toEqual(["I3"]);
    expect(checkOutcomesStay({ answers: meanwhile })).toEqual([]);
  });

  test("a store that was unavailable meanwhile is no other result", () => {
    const unavailable = answer({ at: 200, status: "failed", code: "store_unavailable" });
    expect(checkOutcomesStay({ answers: [answer(), unavailable] })).toEqual([]);
  });
});

describe("I4", () => {
  test("an operation without an end, one with a wrong end, and a row without an end are reported", () => {
    const operations = [
      { id: "run_1", kind: "task", unfinished: "its time is over." },
      { id: "run_2", kind: "approval", wrong: "all three answers were refused." },
    ];
    const violations = checkEverythingEnds({
      operations,
      tables: { ...tables, unfinished: ["The task t is run by a process that has ended."] },
    });
    expect(numbers(violations)).toEqual(["I4", "I4", "I4"]);
  });
});

describe("I5", () => {
  test("a completed call without an effect is reported", () => {
    expect(numbers(checkAnswersMatchEffects({ ...history, effects: [] }))).toEqual(["I5"]);
  });

  test("an effect of an attempt that was refused is reported", () => {
    const refused = answer({ status: "failed", code: "rate_limited" });
    const notRun = answer({ status: "failed", code: "store_unavailable", hasNotRun: true });
    for (const wrong of [refused, notRun]) {
      expect(numbers(checkAnswersMatchEffects({ ...history, answers: [wrong] }))).toEqual(["I5"]);
    }
  });

  test("an attempt may be refused after another one had the effect", () => {
    const answers = [answer(), answer({ attempt: "a2", status: "failed", code: "rate_limited" })];
    expect(checkAnswersMatchEffects({ ...history, answers })).toEqual([]);
  });
});

describe("I6", () => {
  const unknown = answer({ status: "failed", code: "outcome_unknown" });
  const check = (change: object) =>
    numbers(checkUnknownsHaveCauses({ ...history, answers: [unknown], ...change }));

  test("an unknown outcome is reported without a fault, before and after one, and at another worker", () => {
    const fault = { kind: "kill", worker: "worker 1.1", from: 105, until: 105 } as const;
    expect(check({ faults: [] })).toEqual(["I6"]);
    expect(check({ faults: [{ ...fault, from: 50, until: 80 }] })).toEqual(["I6"]);
    expect(check({ faults: [{ ...fault, from: 120, until: 130 }] })).toEqual(["I6"]);
    expect(check({ faults: [{ ...fault, worker: "worker 2.1" }] })).toEqual(["I6"]);
    expect(check({ faults: [fault] })).toEqual([]);
  });

  test("a fault of all workers explains it", () => {
    expect(check({ faults: [{ kind: "restart", from: 100, until: 200 }] })).toEqual([]);
  });

  test("an attempt that was never answered is in flight until the end", () => {
    const { until: _, ...open } = attempt();
    const faults = [{ kind: "restart", from: 900, until: 1_000 }];
    expect(check({ attempts: [open], faults })).toEqual([]);
    expect(check({ faults })).toEqual(["I6"]);
  });
});

describe("I7", () => {
  const calls = (...times: readonly number[]) =>
    times.map((time, index) => effect({ callId: `call_${index}`, earliest: time, time: time + 1 }));
  const rate = { calls: 2, windowMs: 1_000 };

  test("a window with more calls than the limit is reported", () => {
    expect(numbers(checkRates({ rate, effects: calls(0, 500, 998) }))).toEqual(["I7"]);
    expect(checkRates({ rate, effects: calls(0, 500, 1_000) })).toEqual([]);
  });

  test("calls that may have been committed in another window are not", () => {
    const late = effect({ callId: "late", earliest: 0, time: 1_500 });
    expect(checkRates({ rate, effects: [...calls(600, 700), late] })).toEqual([]);
  });
});

describe("I8", () => {
  test("an artifact with other bytes, a lost one, and bytes without a row are reported", () => {
    const read = { key: "art_1", worker: "worker 2.1", expected: "abc" };
    const artifactReads = [
      { ...read, found: "abd" },
      { ...read, found: "missing" },
      { ...read, found: "abc" },
    ];
    const violations = checkArtifacts({
      artifactReads,
      tables: { ...tables, artifacts: ["The artifact art_2 is incomplete, and was not removed."] },
    });
    expect(numbers(violations)).toEqual(["I8", "I8", "I8"]);
  });
});

describe("I8 of a bucket", () => {
  const [row, deletedRow] = correctBucket.rows as [BucketRow, BucketRow];
  const check = (
    change: Partial<BucketState>,
    deletedArtifacts: readonly string[] = ["art_2"],
  ): readonly string[] =>
    checkBucket({ bucket: { ...correctBucket, ...change }, deletedArtifacts }).map(
      ({ invariant, text }) => `${invariant}: ${text}`,
    );

  test("an object, a part and a row that are left over are reported", () => {
    const content = Buffer.from("abc");
    const objects = [...correctBucket.objects, { name: "artifacts/3", content }];
    expect(check({ objects })).toEqual(["I8: The object artifacts/3 has no row."]);
    expect(check({ parts: ["artifacts/3/1", "artifacts/1/1"] })).toEqual([
      "I8: The part artifacts/3/1 of an upload has no row.",
    ]);
    for (const state of ["writing", "deleting"]) {
      expect(check({ rows: [{ ...row, state }, deletedRow] })).toEqual([
        `I8: The row of the artifact art_1 is ${state}, and was not removed.`,
      ]);
    }
  });

  test("an artifact without its object is reported, unless the object was deleted by another program", () => {
    expect(check({ objects: [] })).toEqual(["I8: The artifact art_1 has a row without an object."]);
    expect(check({}, [])).toEqual(["I8: The artifact art_2 has a row without an object."]);
    expect(check({})).toEqual([]);
  });

  test("an object with other bytes, and an artifact that is not read as a whole, are reported", () => {
    const objects = [{ name: "artifacts/1", content: Buffer.from("ab") }];
    expect(check({ objects })).toEqual(["I8: The object of the artifact art_1 has 2 bytes of 3."]);
    for (const found of ["missing", "other", "unreadable"] as const) {
      expect(check({ rows: [{ ...row, found }, deletedRow] })).toEqual([
        `I8: The artifact art_1 is ${found}.`,
      ]);
    }
  });

  test("a deleted object whose artifact is not missing is reported", () => {
    const rows = [row, { ...deletedRow, found: "other" as const }];
    expect(check({ rows })).toEqual([
      "I8: The object of the artifact art_2 was deleted, and it is other.",
    ]);
    const artifactReads = [{ key: "art_2", worker: "w", expected: "missing", found: "e3b0c442" }];
    expect(numbers(checkArtifacts({ artifactReads, tables }))).toEqual(["I8"]);
  });

  test("bytes that are counted wrongly are reported", () => {
    const miscounted = ["The owner o has 3 bytes of artifacts, and 6 are counted."];
    expect(check({ miscounted })).toEqual([`I8: ${miscounted[0]}`]);
  });
});

describe("I9", () => {
  test("a secret in an object is reported, and not repeated", () => {
    const content = Buffer.from("abc a secret of the test abc");
    const bucket = { ...correctBucket, objects: [{ name: "artifacts/1", content }] };
    expect(checkSecrets({ ...history, bucket })).toEqual([
      { invariant: "I9", text: "The object artifacts/1 has secret 1 in clear." },
    ]);
  });

  test.each([
    ["clear", "a secret of the test"],
    ["hexadecimal", Buffer.from("a secret of the test").toString("hex")],
    ["base64", Buffer.from("a secret of the test").toString("base64")],
  ])("a secret in %s is reported, and not repeated", (form, text) => {
    const dump = `COPY (\n1\t${text}\n)`;
    const [violation] = checkSecrets({ ...history, tables: { ...tables, dump } });
    expect(violation?.text).toContain(form);
    expect(violation?.text).not.toContain(text);
  });
});

describe("I10", () => {
  test("more turns than the limit and one for each recovery are reported", () => {
    const budgets = [{ agent: "agent", limit: 5, used: 7, recoveries: 1 }];
    expect(numbers(checkBudgets({ budgets }))).toEqual(["I10"]);
    expect(
      checkBudgets({ budgets: [{ agent: "agent", limit: 5, used: 6, recoveries: 1 }] }),
    ).toEqual([]);
  });
});
