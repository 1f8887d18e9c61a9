import { ToolError } from "@toolweave/core";
import { memoryTasks, type TaskStore } from "@toolweave/core/stores";
import { never, raise, ways, type Scenario } from "./scenarios.ts";
import type { Setup } from "./lab.ts";

/** A call that is to become a task, and a store that changes each new one. */
function adding(add: TaskStore["add"]): { readonly setup: Setup } {
  return {
    setup: {
      definition: { execution: "task" },
      options: { tasks: Object.assign(memoryTasks(), { add }) },
    },
  };
}

/** Every exit of a call that would become a task. */
export const tasks: readonly Scenario[] = [
  ...ways(
    "detach",
    "store_unavailable",
    "rejected",
    { how: "the store throws", ...adding(() => raise("down")) },
    { how: "the store rejects", ...adding(() => Promise.reject(new Error("down"))) },
    {
      how: "the store does not answer for 5 s",
      ...adding(never),
      act: (lab) => lab.until(lab.execute(), 5000),
    },
  ),
  ...ways("detach", "limit_exceeded", "rejected", {
    how: "the maximum of tasks runs",
    ...adding(() => raise(new ToolError("limit_exceeded", "Enough."))),
  }),
];
