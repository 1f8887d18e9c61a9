import type { Slot } from "../../limits/limited-call.ts";
import { narrowPolicy } from "../../policy/compile-policy.ts";
import type { Toolset, NestedCallOptions } from "../../contract/tool.ts";
import type { ToolCall } from "../../contract/tool-call.ts";
import type { ToolOutcome } from "../../contract/tool-result.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { Batch } from "../batch/batch.ts";
import { readCall, readOnce } from "../call/read-call.ts";
import { takeCallId } from "../call/call-ids.ts";
import { CallState } from "../call/call-state.ts";
import { toToolError } from "../call/to-tool-error.ts";
import { unwrapCallTool } from "../call/unwrap-call-tool.ts";
import { manyCalls } from "../batch/check-call-options.ts";
import type { ExecuteAllOptions } from "../../contract/call-options.ts";

/** Maximum nesting of calls: a tool that calls itself must end. */
const maxNesting = 16;

/**
 * Runs a call for a running tool: in the same run, under the same limits, with a policy and a toolset that are at most
 * as wide.
 */
export function executeNested(
  parent: CallState,
  call: ToolCall,
  options: NestedCallOptions = {},
): Promise<ToolOutcome> {
  const own = readOnce(call);
  let execution: CallState;
  try {
    execution = made(parent, own, narrowed(parent, options), options.inherit);
  } catch (error) {
    execution = made(parent, own, parent);
    execution.stop(toToolError(execution, error));
  }
  return executeWithin(execution);
}

/** Runs several nested calls: all are admitted in order before any starts. */
export async function executeAllNested(
  parent: CallState,
  calls: readonly ToolCall[],
  { toolset, narrow, inherit, ...options }: ExecuteAllOptions & NestedCallOptions = {},
): Promise<readonly ToolOutcome[]> {
  const many = manyCalls("scope.executeAll", calls, options);
  const within = narrowed(parent, { toolset, narrow } as NestedCallOptions);
  return new Batch(many, {
    prepare: (call) => made(parent, call, within, inherit),
    execute: executeWithin,
  }).go();
}

/** The toolset for calls that `parent`'s tool makes. */
export function toolsetBelow(parent: CallState): Toolset {
  const { engine, run, entry } = parent;
  const isFree = entry?.trusted && entry.tool.delegates;
  const toolset = isFree ? getReachableTools(parent) : parent.toolset;
  // Includes `read_artifact` for artifacts that nested calls have stored since the tool started.
  return engine.artifacts.mayHave(run)
    ? engine.executor.helpers.join(toolset, { artifacts: true, tasks: false }, run.caller)
    : toolset;
}

/** The toolset that was available to the caller of this call. */
function getReachableTools({ engine, run, parent, toolset }: CallState): Toolset {
  if (parent !== undefined) return toolsetBelow(parent);
  return run.delegateScope === "policy" ? engine.executor.advertised(run.caller) : toolset;
}

/** The limits of a nested call: its policies and its toolset. */
type Within = Pick<CallState, "policies" | "toolset">;

/** @throws ToolError `invalid_configuration` for a policy that is not valid, or whatever an invalid toolset throws. */
function narrowed(parent: CallState, { narrow, toolset: narrower }: NestedCallOptions): Within {
  const { policies } = parent;
  const toolset = toolsetBelow(parent);
  return {
    policies: narrow === undefined ? policies : narrowPolicy(policies, narrow, "narrow"),
    toolset:
      narrower === undefined
        ? toolset
        : toolset.filter(({ tool }) => narrower.callable(tool.spec.name)?.tool === tool),
  };
}

function made(
  parent: CallState,
  call: ToolCall,
  { policies, toolset }: Within,
  inherit?: ReadonlyMap<symbol, unknown>,
): CallState {
  const { engine, run } = parent;
  // A copy: an object of the tool's could return another name to limits and audit than to the registry.
  const inner = unwrapCallTool(readCall(call), toolset);
  const settings = inherit === undefined ? undefined : { inherit };
  return new CallState(engine, run, inner, toolset, policies, settings, parent);
}

/** Runs a call below its parent, if it has one. */
export function executeWithin(execution: CallState): Promise<ToolOutcome> {
  const { engine, parent } = execution;
  if (parent === undefined) return engine.execute(execution);
  for (let at: CallState | undefined = parent; at !== undefined; at = at.parent) {
    at.hasChildren = true;
  }
  const refused =
    refusal(execution, parent) ??
    (execution.resumption === undefined ? takeCallId(execution) : undefined);
  if (refused !== undefined) execution.stop(refused);
  const { slot } = parent;
  if (slot === undefined) return engine.execute(execution);
  // A nested call must not wait for the slot that its own caller holds.
  engine.slots?.lend(execution);
  return handOver(slot, engine.execute(execution));
}

/**
 * Returns the outcome when the calling tool has a slot again. While other calls of its own run, it continues without
 * one.
 */
async function handOver(slot: Slot, nested: Promise<ToolOutcome>): Promise<ToolOutcome> {
  const outcome = await nested;
  await slot.wait?.over;
  return outcome;
}

function refusal(execution: CallState, parent: CallState): ToolError | undefined {
  if (depth(execution) > maxNesting) {
    return new ToolError("limit_exceeded", `Calls nest deeper than ${maxNesting} levels.`);
  }
  return parent.nestedRefusal;
}

function depth(execution: CallState): number {
  let levels = 0;
  for (let at = execution.parent; at !== undefined; at = at.parent) levels += 1;
  return levels;
}
