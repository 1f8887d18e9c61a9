import type { RunContext } from "@openai/agents-core";
import type { InterruptionRequest } from "@toolweave/core";

/** A call whose approval the SDK knows of. */
export interface DecidedCall {
  readonly callId: string;
  /** The tool's name. */
  readonly name: string;
  /** The name under which the SDK groups the tool, if it does. */
  readonly namespace?: string | undefined;
}

/** The decision of a person about a call, if there is one: `result.state.approve` and `reject`. */
export function readDecision(
  runContext: RunContext<unknown>,
  { callId, name, namespace }: DecidedCall,
): boolean | undefined {
  // The SDK knows a tool of a group by what it makes of both names; the context takes no other key.
  const group = namespace === name ? ["deferred_top_level", name] : ["namespaced", namespace, name];
  const toolName = namespace === undefined ? name : JSON.stringify(group);
  return runContext.isToolApproved({ toolName, callId });
}

/** True when a person has approved every call of the tool (`alwaysApprove`): then also a call that does not exist. */
export function isAlwaysApproved(runContext: RunContext<unknown>, call: DecidedCall): boolean {
  return readDecision(runContext, { ...call, callId: crypto.randomUUID() }) === true;
}

/** True when an approval answers all requests: the SDK can request nothing else. */
export function isAnswerable(requests: readonly InterruptionRequest[]): boolean {
  return requests.every(({ type }) => type === "approval" || type === "auth");
}
