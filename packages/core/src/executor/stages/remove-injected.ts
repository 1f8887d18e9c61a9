import type { JsonValue } from "../../json/json.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { InjectedParameter } from "../../contract/tool-spec.ts";
import type { CallState } from "../call/call-state.ts";

/** Stage 3: removes values that only the host may supply, and records their names. */
export function removeInjected(execution: CallState): void {
  const { injected } = execution.tool.spec;
  if (injected !== undefined) removeEach(execution, injected);
  execution.admitted ??= execution.args;
}

function removeEach(execution: CallState, injected: readonly InjectedParameter[]): void {
  let kept: Record<string, JsonValue> | undefined;
  for (const { name, required } of injected) {
    if (execution.args !== undefined && Object.hasOwn(execution.args, name)) {
      kept ??= { ...execution.args };
      delete kept[name];
      (execution.discarded ??= []).push(name);
    }
    if (required !== false && !isSupplied(execution.run.injected, name)) {
      throw new ToolError(
        "invalid_configuration",
        `${execution.tool.spec.name} needs the value "${name}" from the host: pass it in startRun({ injected }).`,
      );
    }
  }
  if (kept !== undefined) execution.args = kept;
}

function isSupplied(injected: unknown, name: string): boolean {
  return (
    typeof injected === "object" &&
    injected !== null &&
    (injected as Record<string, unknown>)[name] !== undefined
  );
}
