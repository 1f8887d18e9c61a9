import type {
  ExecuteReturn,
  JsonObject,
  JsonSchema,
  Tool,
  ToolContext,
  ToolDefinition,
  ToolOutcome,
} from "@toolweave/core";
import { tool } from "../support/executor-for.ts";
import { completed } from "../support/outcomes.ts";

/** A tool whose calls become tasks. */
export function taskTool(
  name: string,
  execute?: (args: JsonObject, ctx: ToolContext) => ExecuteReturn,
  more: Partial<ToolDefinition<JsonSchema>> = {},
): Tool {
  return tool(name, execute, { execution: "task", ...more });
}

/** The id of the task that a call has become. */
export function getTaskId(outcome: ToolOutcome | undefined): string {
  const { taskId } = completed(outcome).result;
  if (taskId === undefined) throw new Error("expected a task");
  return taskId;
}
