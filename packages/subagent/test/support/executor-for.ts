import {
  ajvValidator,
  defineTool,
  ToolExecutor,
  ToolRegistry,
  type ExecuteReturn,
  type ExecutorOptions,
  type JsonObject,
  type JsonSchema,
  type RegistryInput,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolEvent,
} from "@toolweave/core";
import type { AgentResult } from "@toolweave/subagent";

/**
 * One for all executors, loaded before the first test: no test waits for more than its own steps.
 */
const validator = ajvValidator();
await validator.compile({ type: "object" });

/** A tool of the host that accepts any object. */
export function tool(
  name: string,
  execute: (args: JsonObject, ctx: ToolContext) => ExecuteReturn = () => `${name} ran`,
  more: Partial<ToolDefinition<JsonSchema>> = {},
): Tool {
  return defineTool<JsonSchema>({
    name,
    description: `The tool ${name}.`,
    input: { type: "object" },
    ...more,
    execute,
  });
}

/** An executor with its own registry. */
export function executorFor(
  inputs: readonly RegistryInput[],
  options: Omit<ExecutorOptions, "registry"> = {},
): ToolExecutor {
  return new ToolExecutor({
    registry: new ToolRegistry(inputs as RegistryInput[]),
    validator,
    ...options,
  });
}

/** Every event from now on. */
export function recorded(executor: ToolExecutor): ToolEvent[] {
  const events: ToolEvent[] = [];
  executor.on((event) => events.push(event));
  return events;
}

/** A result of that status. */
export function ended<Status extends AgentResult["status"]>(
  result: AgentResult,
  status: Status,
): Extract<AgentResult, { status: Status }> {
  if (result.status === status) return result as Extract<AgentResult, { status: Status }>;
  throw new Error(
    `expected ${status}, got ${JSON.stringify(result).slice(0, 2000)} ${String("error" in result ? (result.error.cause ?? result.error) : "")}`,
  );
}

/** The texts that a model reads of results, in order. */
export function resultsIn(result: Pick<AgentResult, "messages">): string[] {
  return result.messages.flatMap((message) =>
    message.role === "tool"
      ? message.content.flatMap((part) =>
          part.type === "tool-result" && "value" in part.output ? String(part.output.value) : [],
        )
      : [],
  );
}
