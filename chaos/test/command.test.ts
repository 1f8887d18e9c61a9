import { expect, test } from "vitest";
import { helpText, readCommand, UsageError } from "../src/command.ts";
import { formatResult } from "../src/report.ts";
import { scenarios } from "../src/scenarios/all.ts";
import type { ScenarioResult } from "../src/scenarios/scenario.ts";
import { postgresPrograms } from "@toolweave/test-support/postgres-server";

const result: ScenarioResult = {
  scenario: "W1",
  seed: 3,
  seconds: 12.5,
  operations: 40,
  effects: 60,
  kills: 5,
  restarts: 1,
  lostAnswers: 7,
  unknowns: 2,
  violations: [],
};

test("the help names every scenario and option", () => {
  const help = helpText(scenarios);
  for (const { id } of scenarios) expect(help).toContain(`\n  ${id} `);
  for (const option of ["--seconds", "--seeds", "--seed", "--json", "--save", "--help"]) {
    expect(help).toContain(`\n  ${option} `);
  }
});

test("a wrong command line is refused with the valid values", () => {
  expect(() => readCommand(["X9"], scenarios)).toThrow(/no scenario "X9".*W1, W2/s);
  expect(() => readCommand(["--fast"], scenarios)).toThrow(UsageError);
  expect(() => readCommand(["--seed", "1", "--seeds", "2"], scenarios)).toThrow("not both");
});

test.skipIf(postgresPrograms() === undefined)("scenarios and seeds are read", () => {
  const command = readCommand(["w1", "P1", "--seconds", "7", "--seed", "4"], scenarios);
  if (command === "help") throw new Error("It is no request for help.");
  expect(command.scenarios.map(({ id }) => id)).toEqual(["W1", "P1"]);
  expect(command).toMatchObject({ seconds: 7, seeds: [4] });
  expect(readCommand(["d1"], scenarios)).toMatchObject({
    scenarios: [{ id: "D1-dbos" }, { id: "D1-restate" }, { id: "D1-bullmq" }],
  });
  expect(readCommand([], scenarios)).toMatchObject({
    scenarios,
    seconds: 60,
    seeds: [1, 2, 3, 4, 5],
  });
  expect(() => readCommand(["--seconds", "0"], scenarios)).toThrow("1 or more");
});

test("every figure is printed, and a violation with the command that repeats it", () => {
  const text = formatResult(process.stderr, result, 60);
  expect(text).toContain(
    "seed 3, 12.5 s, 40 operations, 60 effects, 5 kills, 1 restarts, 7 lost answers, 2 unknown, ",
  );
  expect(text).not.toContain("Repeat");
  const violations = [{ invariant: "I1", text: "run_1/call_1 has 2 effects." }];
  const wrong = formatResult(process.stderr, { ...result, violations }, 60);
  expect(wrong).toContain("run_1/call_1 has 2 effects.");
  expect(wrong).toContain("Repeat it: pnpm chaos W1 --seconds 60 --seed 3");
});
