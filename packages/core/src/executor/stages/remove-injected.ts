import type { JsonValue } from "../../json/json.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { CallState } from "../call/call-state.ts";

/** Stage 3: removes values that only the host may supply, and records their names. */
export function removeInjected(execution: CallState): void {
  const { injected, name } = execution.tool.spec;
  if (injected !== undefined && injected.length > 0) {
    let kept: Record<string, JsonValue> | undefined;
    for (const parameter of injected) {
      if (execution.args !== undefined && Object.hasOwn(execution.args, parameter.name)) {
        kept ??= { ...execution.args };
        delete kept[parameter.name];
        (execution.discarded ??= []).push(parameter.name);
      }
      if (parameter.required !== false && !isSupplied(execution.run.injected, parameter.name)) {
        throw new ToolError(
          "invalid_configuration",
          `${name} needs the value "${parameter.name}" from the host: pass it in startRun({ injected }).`,
        );
      }
    }
    if (kept !== undefined) execution.args = kept;
  }
  execution.admitted ??= execution.args;
}

function isSupplied(injected: unknown, name: string): boolean {
  return (
    typeof injected === "object" &&
    injected !== null &&
    (injected as Record<string, unknown>)[name] !== undefined
  );
}
