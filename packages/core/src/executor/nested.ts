import type { PolicyInput } from "../policy/policy.ts";
import type { Toolset } from "../registry/toolset.ts";
import type { ToolCall } from "../spec/tool-call.ts";
import type { ToolOutcome } from "../spec/tool-result.ts";
import { ToolError } from "../tool-error.ts";
import { checkedCall } from "./checked-call.ts";
import { Execution } from "./execution.ts";

/** How deep calls may nest: a tool that calls itself must come to an end. */
const maxNesting = 16;

/** Runs a call for a running tool: same run, same limits, policy and toolset at most as wide. */
export function executeNested(
  parent: Execution,
  call: ToolCall,
  options: { toolset?: Toolset; narrow?: PolicyInput } = {},
): Promise<ToolOutcome> {
  const { engine, run, policies } = parent;
  const narrower = options.toolset;
  const toolset =
    narrower === undefined
      ? parent.toolset
      : parent.toolset.filter(({ tool }) => narrower.get(tool.spec.name) === tool);
  const execution = new Execution(
    engine,
    run,
    checkedCall(call),
    toolset,
    options.narrow === undefined ? policies : [...policies, options.narrow],
    undefined,
    parent,
  );
  for (let at: Execution | undefined = parent; at !== undefined; at = at.parent) {
    at.hasChildren = true;
  }
  execution.stopped = refusal(execution, parent);
  return engine.execute(execution);
}

function refusal(execution: Execution, parent: Execution): ToolError | undefined {
  if (depth(execution) > maxNesting) {
    return new ToolError("limit_exceeded", `Calls nest deeper than ${maxNesting} levels.`);
  }
  if (parent.ended) {
    return new ToolError("cancelled", "The tool that made this call has already ended.");
  }
  return parent.stopped;
}

function depth(execution: Execution): number {
  let levels = 0;
  for (let at = execution.parent; at !== undefined; at = at.parent) levels += 1;
  return levels;
}
