import type { RunContext } from "@openai/agents-core";

/** A call whose approval the SDK knows of. */
export interface DecidedCall {
  readonly callId: string;
  /** The tool's name. */
  readonly name: string;
  /** The name under which the SDK groups the tool, if it does. */
  readonly namespace?: string | undefined;
}

/** What a person has said of a call, if anything: `result.state.approve` and `reject`. */
export function decisionOn(
  runContext: RunContext<unknown>,
  { callId, name, namespace }: DecidedCall,
): boolean | undefined {
  // The SDK knows a tool of a group by what it makes of both names; the context takes no other key.
  const group = namespace === name ? ["deferred_top_level", name] : ["namespaced", namespace, name];
  const toolName = namespace === undefined ? name : JSON.stringify(group);
  return runContext.isToolApproved({ toolName, callId });
}

/** A person has agreed to every call of the tool (`alwaysApprove`): to one that nobody has made, too. */
export function agreedForAll(runContext: RunContext<unknown>, call: DecidedCall): boolean {
  return decisionOn(runContext, { ...call, callId: crypto.randomUUID() }) === true;
}
