import type { Slot } from "../limits/slots.ts";
import { narrowPolicy } from "../policy/compile-policy.ts";
import type { PolicyInput } from "../policy/policy.ts";
import type { Toolset } from "../registry/toolset.ts";
import type { ToolCall } from "../spec/tool-call.ts";
import type { ToolOutcome } from "../spec/tool-result.ts";
import { ToolError } from "../tool-error.ts";
import { checkedCall, readOnce } from "./checked-call.ts";
import { Execution } from "./execution.ts";
import { failureOf } from "./failure-of.ts";
import { innerCall } from "./inner-call.ts";

/** How deep calls may nest: a tool that calls itself must come to an end. */
const maxNesting = 16;

/** Runs a call for a running tool: same run, same limits, policy and toolset at most as wide. */
export function executeNested(
  parent: Execution,
  call: ToolCall,
  options: { toolset?: Toolset; narrow?: PolicyInput } = {},
): Promise<ToolOutcome> {
  const { engine, run } = parent;
  let { policies, toolset } = parent;
  let misuse: unknown;
  try {
    const { narrow, toolset: narrower } = options;
    if (narrow !== undefined) policies = narrowPolicy(policies, narrow, "narrow");
    if (narrower !== undefined) {
      toolset = toolset.filter(({ tool }) => narrower.callable(tool.spec.name)?.tool === tool);
    }
  } catch (error) {
    misuse = error;
  }
  const execution = new Execution(
    engine,
    run,
    // The tool's own object might have another name for limits, the audit and people than for the registry.
    innerCall(checkedCall(readOnce(call)), toolset),
    toolset,
    policies,
    undefined,
    parent,
  );
  if (misuse !== undefined) execution.stopped = failureOf(execution, misuse);
  return executeWithin(parent, execution);
}

/** Runs a call as one of those that `parent`'s tool has made. */
export function executeWithin(parent: Execution, execution: Execution): Promise<ToolOutcome> {
  const { engine } = parent;
  for (let at: Execution | undefined = parent; at !== undefined; at = at.parent) {
    at.hasChildren = true;
  }
  execution.stopped ??= refusal(execution, parent);
  const { slot } = parent;
  if (slot === undefined) return engine.execute(execution);
  // What a tool calls must not wait for the place that the tool itself holds.
  engine.slots?.lend(execution);
  return handOver(slot, engine.execute(execution));
}

/** The tool goes on in a place of its own; while other calls of its own run, without one. */
async function handOver(slot: Slot, nested: Promise<ToolOutcome>): Promise<ToolOutcome> {
  const outcome = await nested;
  await slot.wait?.over;
  return outcome;
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
