import { defineTool, type ToolSource } from "@toolweave/core";
import { conformance } from "@toolweave/conformance/vitest";
import { sqliteStore } from "@toolweave/stores";
import { afterAll } from "vitest";
import { planTools, scheduleTools } from "../../src/index.ts";

const store = sqliteStore({ path: ":memory:", maxSchedulesPerOwner: 1_000_000 });
afterAll(() => store.close());
const owner = JSON.stringify([null]);
const note = defineTool({
  name: "note",
  description: "Note nothing.",
  input: { type: "object", properties: {} },
  annotations: { readOnlyHint: true, openWorldHint: false },
  execute: () => "noted",
});

/** The tools for schedules, with one that can be scheduled. */
function create(): ToolSource {
  const source = scheduleTools({ store: store.schedules });
  const tools = [...source.tools(), note];
  return { ...source, tools: () => tools };
}

conformance({
  name: "the tools for schedules",
  create,
  samples: {
    succeedingCalls: [
      { tool: "schedule_list", arguments: {} },
      { tool: "schedule_remove", arguments: { id: "none" } },
      { tool: "note", arguments: {} },
    ],
    failingCalls: [
      { tool: "schedule_add", arguments: { tool: "note" } },
      { tool: "schedule_add", arguments: { tool: "missing", after_s: 60 } },
    ],
    effectCalls: [
      {
        tool: "schedule_add",
        arguments: { tool: "note", after_s: 31_000_000 },
        count: async () => (await store.schedules.list(owner)).length,
      },
    ],
  },
  generatedCalls: ["schedule_list", "schedule_remove"],
  state: async () => (await store.schedules.list(owner)).map(({ id }) => id),
  without: {
    slowCalls: "a schedule answers at once",
    suspendingCalls: "a tool for schedules does not ask a person itself",
    updatingCalls: "an answer is given when it is complete",
    largeCalls: "a caller has at most 100 jobs",
    secrets: "a schedule has no credentials",
    change: "the tools for schedules are always the same",
    outage: "the store is in this process",
  },
});

conformance({
  name: "the tools for a plan",
  create: planTools,
  samples: {
    succeedingCalls: [{ tool: "todo", arguments: {} }],
    suspendingCalls: [
      {
        tool: "ask_user",
        arguments: { question: "Which?", choices: ["a", "b"] },
        answer: ({ id }) => ({ type: "input", requestId: id, value: { answer: "a" } }),
      },
    ],
    updatingCalls: [{ tool: "todo", arguments: { items: [{ text: "one", status: "pending" }] } }],
  },
  generatedCalls: ["todo"],
  without: {
    failingCalls: "both tools accept everything that their schemas accept",
    slowCalls: "a plan answers at once, and a question waits outside of the call",
    effectCalls: "a plan is in the tools themselves",
    state: "a plan is in the tools themselves",
    largeCalls: "a plan has at most 100 steps",
    secrets: "a plan has no credentials",
    change: "the tools for a plan are always the same",
    outage: "a plan is in this process",
  },
});
