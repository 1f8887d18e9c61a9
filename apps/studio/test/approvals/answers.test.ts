import type { InterruptionRequest } from "@toolweave/core";
import type { FormNode } from "../../src/json/node.ts";
import { describe, expect, test } from "vitest";
import { approveAnswers, rejectAnswers, toGrantChoice } from "../../src/approvals/answers.ts";
import { fromValue } from "../../src/json/write-json.ts";
import { isFault, parseJson } from "../../src/json/parse-json.ts";
import { argumentChanges } from "../../src/approvals/argument-changes.ts";
import { stableList } from "../../src/approvals/stable-list.ts";

const approval: InterruptionRequest = {
  id: "r1",
  type: "approval",
  permission: { kind: "network", target: "x", summary: "Send" },
  reason: "The policy asks.",
};
const question: InterruptionRequest = { id: "r2", type: "input", message: "Which?" };
const signIn: InterruptionRequest = { id: "r3", type: "auth", credential: "c", message: "Sign in" };

function read(json: string): FormNode {
  const node = parseJson(json);
  if (isFault(node)) throw new Error(node.message);
  return node;
}

test("each request has an answer of its type; nothing is granted unless the person chooses it", () => {
  const drafts = { r2: { grant: "once", value: '"north"' } } as const;
  expect(
    JSON.parse(approveAnswers([approval, question, signIn], drafts, undefined).json ?? ""),
  ).toEqual([
    { type: "approve", requestId: "r1" },
    { type: "input", requestId: "r2", value: "north" },
    { type: "approve", requestId: "r3" },
  ]);
});

test("a grant and edited arguments are part of the approval", () => {
  const drafts = { r1: { grant: "always-any", value: "" } } as const;
  expect(JSON.parse(approveAnswers([approval], drafts, fromValue({ id: 2 })).json ?? "")).toEqual([
    {
      type: "approve",
      requestId: "r1",
      grant: { scope: "always", arguments: "any" },
      arguments: { id: 2 },
    },
  ]);
  expect((["once", "session", "session-any"] as const).map(toGrantChoice)).toEqual([
    undefined,
    "session",
    { scope: "session", arguments: "any" },
  ]);
});

test("the digits of an integer are sent as typed, in arguments and in answers", () => {
  const digits = "12345678901234567891";
  const drafts = { r2: { grant: "once", value: digits } } as const;
  const { json } = approveAnswers([approval, question], drafts, read(`{"id":${digits}}`));
  expect(json).toContain(`"arguments":{"id":${digits}}`);
  expect(json).toContain(`"value":${digits}`);
});

test("an answer that is not complete is not sent; without a schema, text is an answer", () => {
  const choice: InterruptionRequest = { ...question, schema: { type: "string" } };
  expect(approveAnswers([choice], {}, undefined).problem).toMatch(/not complete/);
  const drafts = { r2: { grant: "once", value: "the north" } } as const;
  expect(approveAnswers([choice], drafts, undefined).problem).toMatch(/not complete/);
  expect(JSON.parse(approveAnswers([question], drafts, undefined).json ?? "")).toMatchObject([
    { value: "the north" },
  ]);
});

test("a rejection answers every request, with the reason where there is one", () => {
  expect(JSON.parse(rejectAnswers([approval, question], " no "))).toEqual([
    { type: "reject", requestId: "r1", reason: "no" },
    { type: "reject", requestId: "r2", reason: "no" },
  ]);
  expect(JSON.parse(rejectAnswers([approval], ""))).toEqual([{ type: "reject", requestId: "r1" }]);
});

describe("the differences between arguments", () => {
  test("are named by member, at any depth", () => {
    const before = { a: 1, b: { c: [1, 2], d: "x" }, "e/f": true };
    const after = { a: 1, b: { c: [1, 3], g: null }, "e/f": false };
    expect(argumentChanges(fromValue(before), fromValue(after))).toEqual([
      { path: "/b/c/1", before: "2", after: "3", text: "is different" },
      { path: "/b/d", before: '"x"', text: "is removed" },
      { path: "/b/g", after: "null", text: "is added" },
      { path: "/e~1f", before: "true", after: "false", text: "is different" },
    ]);
  });

  test("see every digit of an integer, and no other spelling of a number", () => {
    const changes = argumentChanges(read("[12345678901234567890]"), read("[12345678901234567891]"));
    expect(changes).toMatchObject([
      { before: "12345678901234567890", after: "12345678901234567891" },
    ]);
    expect(argumentChanges(read("[1]"), read("[1.0]"))).toEqual([]);
  });

  test("of arrays of different lengths are the arrays", () => {
    expect(argumentChanges(fromValue([1]), fromValue([1, 2]))).toHaveLength(1);
    expect(argumentChanges(fromValue([1]), fromValue([1]))).toEqual([]);
  });
});

test("the list of approvals keeps its order; new ones are counted, ended ones are omitted", () => {
  const latest = [{ id: "new" }, { id: "b" }, { id: "a" }];
  expect(stableList(["a", "ended", "b"], latest)).toEqual({
    rows: [{ id: "a" }, { id: "b" }],
    added: 1,
  });
});
