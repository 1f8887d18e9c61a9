import { isThenable } from "../../spec/json.ts";
import type { ToolOutput } from "../../spec/tool-result.ts";
import type { Execution } from "../execution.ts";
import { isOutput } from "../stages/normalise.ts";
import { hookedCall } from "./hooked-call.ts";

/** An update of a running tool on its way to whoever listens: hooks change it, drop it, are told of it. */
export function update(execution: Execution, update: ToolOutput): void {
  const { hooks, events } = execution.engine;
  const passed = hooks.beforeUpdate.length === 0 ? update : changed(execution, update);
  if (passed === undefined) return;
  if (events.active) events.emitCall(execution, { type: "tool.updated", output: passed });
  for (const hook of hooks.afterUpdate) {
    try {
      const call = hookedCall(execution);
      if (hook.when?.(call) === false) continue;
      const answer: unknown = hook.afterUpdate(call, passed);
      if (isThenable(answer)) answer.then(undefined, () => {});
    } catch {
      // An observer that throws changes nothing.
    }
  }
}

/** `undefined`: dropped. What failed may have been a redaction. */
function changed(execution: Execution, update: ToolOutput): ToolOutput | undefined {
  let passed = update;
  try {
    const call = hookedCall(execution);
    for (const hook of execution.engine.hooks.beforeUpdate) {
      if (hook.when?.(call) === false) continue;
      const answer: unknown = hook.beforeUpdate(call, passed);
      if (answer === undefined) continue;
      if (isThenable(answer)) answer.then(undefined, () => {});
      if (typeof answer !== "object" || answer === null || !isOutput(answer)) return undefined;
      passed = answer as ToolOutput;
    }
    return passed;
  } catch {
    return undefined;
  }
}
