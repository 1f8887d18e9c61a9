import { truncateRedacted, checkRules } from "../../redaction/create-redaction.ts";
import { nearNames } from "../../contract/tool-names.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { isThenable } from "../../json/json.ts";
import type { Decision } from "../../policy/decision.ts";
import { formatRule } from "../call/record-decision.ts";
import type { CallState } from "../call/call-state.ts";

/** Stage 1: finds the tool in the toolset, listed or searchable. */
export function resolve(execution: CallState): void {
  const { call } = execution;
  const entry = execution.findEntry();
  if (entry === undefined) throw unknown(execution);
  execution.entry = entry;
  checkRules(entry.tool);
  const availability = entry.tool.availability;
  if (availability?.status === "unavailable") throw unavailable(call.name, availability.reason);
}

function unavailable(name: string, reason: string): ToolError {
  return new ToolError("unavailable", `${name} is not available now: ${reason}`);
}

function unknown(execution: CallState): ToolError {
  const { call, toolset, engine } = execution;
  const wanted = truncateRedacted(execution, String(call.name), 80);
  if (wanted === "") {
    return new ToolError("not_found", "This call names no tool: pass { id, name, arguments }.");
  }
  if (engine.registry.get(call.name) !== undefined) return notAdvertised(execution, wanted);
  const near = nearNames(wanted, toolset.callableNames());
  const hint =
    near.length > 0
      ? ` Did you mean ${near.join(", ")}?`
      : toolset.get("search_tools") !== undefined
        ? " Find one with search_tools."
        : toolset.size === 0
          ? " There are no tools."
          : ` Some that exist: ${Array.from(toolset.names()).slice(0, 5).join(", ")}.`;
  const missing = engine.registry.failedSources.length;
  const lost =
    missing === 0 ? "" : ` (${missing} source${missing > 1 ? "s" : ""} could not be loaded.)`;
  return new ToolError("not_found", `There is no tool "${wanted}".${hint}${lost}`);
}

/** Suggests no other names: a model would call another tool that writes instead. */
function notAdvertised(execution: CallState, wanted: string): ToolError {
  const denial = findDenial(execution);
  const why = denial === undefined ? "" : ` (${denial.reason})`;
  execution.decided = {
    decision: "denied",
    permissions: [],
    ...(denial === undefined ? {} : { rule: formatRule(denial), reason: denial.reason }),
  };
  return new ToolError(
    "not_advertised",
    `The tool "${wanted}" may not be called here${why}. Do not try it again; say what you need instead.`,
  );
}

/** The decision that denies every call of the tool; `undefined`: no policy does. */
function findDenial({ call, engine, policies, run }: CallState): Decision | undefined {
  const entry = engine.registry.toolset().callable(call.name);
  const { caller } = run;
  if (entry === undefined) return undefined;
  const layer = policies.find((layer) => !layer.mayRun(entry, caller));
  const decision = layer?.decide({ entry, permission: undefined, caller, arguments: {} });
  // Policy functions, which may answer later, hide no tool.
  if (decision === undefined || isThenable(decision)) return undefined;
  return decision.effect === "deny" ? decision : undefined;
}
