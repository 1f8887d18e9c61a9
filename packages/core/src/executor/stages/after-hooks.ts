import { isThenable, type Awaitable } from "../../spec/json.ts";
import type { ToolOutput } from "../../spec/tool-result.ts";
import { ToolError } from "../../tool-error.ts";
import type { Execution } from "../execution.ts";
import type { Hook } from "../hooks.ts";
import { hookedCall } from "./before-hooks.ts";

/** Stage 10, first half: host code amends or redacts what the tool answered. */
export function afterHooks(execution: Execution): Awaitable<void> {
  const { hooks } = execution.engine;
  return hooks.length === 0 ? undefined : runHooks(execution, hooks);
}

async function runHooks(execution: Execution, hooks: readonly Hook[]): Promise<void> {
  const call = hookedCall(execution);
  for (const hook of hooks) {
    try {
      if (hook.afterCall === undefined || hook.when?.(call) === false) continue;
      const { content, value, isError = false } = execution.output as ToolOutput;
      const pending = hook.afterCall(call, {
        content,
        isError,
        ...(value === undefined ? {} : { value }),
      });
      const amended = isThenable(pending) ? await pending : pending;
      if (execution.ended) return;
      if (amended !== undefined) execution.output = amended;
    } catch (error) {
      // A redaction that failed must not let the unredacted output through.
      throw new ToolError(
        "internal",
        `${call.spec.name} did run, but a check of the host failed on its answer: do not repeat the call before checking what it did.`,
        { cause: error },
      );
    }
  }
}
