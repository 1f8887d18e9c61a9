import { expect, test } from "vitest";
import { caseStates, idsOfTests } from "../scripts/lib/case-coverage.ts";

const cases = ["AP01", "AP02", "AP03", "AP04"].map((id) => ({ id, group: "g", title: id }));

test("a case counts if the name of a test or of its group contains its id", () => {
  const source = `
    test("AP01 one thing", () => {});
    test.each([1, 2])(
      "AP02 and AP03 %i", () => {});
    test.each([["AP04 a row", 1]])("%s", () => {});
  `;
  expect([...idsOfTests(source).values()]).toEqual(["covered", "covered", "covered", "covered"]);
});

test("an id in a comment, in a value or in a helper's argument is not a test", () => {
  const source = `
    // AP01 is hard
    const id = "AP02";
    expect(what).toBe("AP03");
  `;
  expect(idsOfTests(source).size).toBe(0);
});

test("a case that only a failing test names is a gap, until a test covers it", () => {
  const gap = `test.fails("AP01 does not hold", () => {});`;
  expect(caseStates(cases, [gap], {})[0]?.state).toBe("gap");
  expect(caseStates(cases, [gap, `test("AP01 holds", () => {});`], {})[0]?.state).toBe("covered");
});

test("a case without a test is missing; one that is listed as open is open, with or without a test", () => {
  const part = `test("AP02 a part of it", () => {});`;
  const states = caseStates(cases, [part], { AP02: { waitsFor: "sub-agents" } });
  expect(states.map(({ state }) => state)).toEqual(["missing", "open", "missing", "missing"]);
});
