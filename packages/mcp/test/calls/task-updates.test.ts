import { ToolError, type JsonObject, type ToolContext } from "@toolweave/core";
import { expect, it } from "vitest";
import { RemoteTasks } from "../../src/calls/remote-tasks.ts";
import { writeTaskState } from "../../src/calls/remote-task.ts";

const task = { taskId: "t", pollIntervalMs: 50 };
const state = writeTaskState({ id: "t", isExtension: true, answered: [] });
const done = { ...task, status: "completed", result: { content: [] } };
const asks = { ...task, status: "input_required", inputRequests: { day: {} } };

const ctx = {
  attempt: 1,
  runId: "r",
  signal: new AbortController().signal,
  checkpoint() {},
  progress() {},
  idempotencyKey: async () => "k",
} as unknown as ToolContext;

it.each([
  ["is not sent again if the task has it", done, 1],
  ["is sent again while the task still asks for it", asks, 2],
])("an answer to a task whose connection is lost %s", async (_, found, expected) => {
  let updates = 0;
  const tasks = new RemoteTasks({
    requestHandler: { callsByTask: new Map() } as never,
    async request(method) {
      if (method === "tasks/get") return updates === 1 ? found : done;
      updates += 1;
      if (updates === 1) throw new ToolError("unavailable", "The connection is gone.");
      return {};
    },
  });
  const params: JsonObject = { requestState: state, inputResponses: { day: "Monday" } };
  expect(await tasks.call(params, ctx, { asTask: false })).toEqual(done.result);
  expect(updates).toBe(expected);
});
