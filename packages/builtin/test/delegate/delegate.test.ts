import { defineTool } from "@toolweave/core";
import { expect, test } from "vitest";
import { delegateTool } from "../../src/delegate.ts";
import { openTools, readText } from "../support/open-tools.ts";
import { makeModel } from "../support/scripted-model.ts";

const note = defineTool({
  name: "note",
  description: "Note.",
  input: { type: "object", properties: {} },
  execute: () => "noted",
});

test("F3.22 a task is delegated to an agent with the tools of its caller", async () => {
  const { callText } = openTools([note, delegateTool({ model: makeModel(3, "note") })]);
  expect(await callText("delegate", { task: "note it twice" })).toBe("done after 3");
});

test("F2.13 the limits of phi-core end an agent after 10 turns", async () => {
  const { callText } = openTools([
    note,
    delegateTool({ model: makeModel(11, "note"), preset: "phi" }),
  ]);
  expect(await callText("delegate", { task: "x" })).toBe(
    "delegate: The agent stopped before it was done: it has used its 10 turns. This is not a completed answer.",
  );
  const ten = openTools([note, delegateTool({ model: makeModel(10, "note"), preset: "phi" })]);
  expect(await ten.callText("delegate", { task: "x" })).toBe("done after 10");
});

test("F3.22 as in ZeroClaw, agents delegate three levels deep, and no deeper", async () => {
  const model = makeModel(2, "delegate", { task: "x" });
  const { call } = openTools([delegateTool({ model, preset: "zeroclaw" })]);
  expect(readText(await call("delegate", { task: "x" }))).toBe("done after 2");
  // Two turns of each of three agents: the call of the third one begins no fourth.
  expect(model.doStreamCalls.length).toBe(6);
});

test("in the background, the call continues as a task", async () => {
  const { call } = openTools([
    note,
    delegateTool({ model: makeModel(2, "note"), background: true }),
  ]);
  const outcome = await call("delegate", { task: "x" });
  expect(outcome.result?.taskId).toMatch(/\w/);
});
