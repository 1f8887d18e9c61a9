import { truncateRedacted, checkRules } from "../../redaction/redactor-of.ts";
import { nearNames } from "../../contract/tool-names.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { CallState } from "../call/call-state.ts";

/** Stage 1: finds the tool in the toolset, listed or searchable. */
export function resolve(execution: CallState): void {
  const { call, toolset } = execution;
  const entry = toolset.callable(call.name);
  if (entry === undefined) throw unknown(execution);
  execution.entry = entry;
  checkRules(entry.tool);
  const availability = entry.tool.availability;
  if (availability?.status === "unavailable") {
    throw new ToolError("unavailable", `${call.name} is not available now: ${availability.reason}`);
  }
}

function unknown(execution: CallState): ToolError {
  const { call, toolset, engine } = execution;
  const wanted = truncateRedacted(execution, String(call.name), 80);
  if (wanted === "") {
    return new ToolError("not_found", "This call names no tool: pass { id, name, arguments }.");
  }
  const near = nearNames(wanted, toolset.callableNames());
  const hint =
    near.length > 0
      ? ` Did you mean ${near.join(", ")}?`
      : toolset.get("search_tools") !== undefined
        ? " Find one with search_tools."
        : toolset.size === 0
          ? " There are no tools."
          : ` Some that exist: ${Array.from(toolset.names()).slice(0, 5).join(", ")}.`;
  if (engine.registry.get(call.name) !== undefined) {
    return new ToolError("not_advertised", `The tool "${wanted}" may not be called here.${hint}`);
  }
  const missing = engine.registry.failedSources.length;
  const lost =
    missing === 0 ? "" : ` (${missing} source${missing > 1 ? "s" : ""} could not be loaded.)`;
  return new ToolError("not_found", `There is no tool "${wanted}".${hint}${lost}`);
}
