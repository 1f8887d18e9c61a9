import type { RunContext } from "@openai/agents-core";
import type { GrantProposal, Interruption, InterruptionRequest } from "@toolweave/core";
import { checks } from "@toolweave/core/adapter";

/** A call of an agent's run that waits for a person. */
export interface WaitingCall {
  /** The model's id of the call, as in the `rawItem.callId` of the SDK's interruption. */
  readonly callId: string;
  /**
   * The interruption: `requests[].permission` is the action that the call intends. Requests that the SDK cannot pass
   * on, such as an input, are answered with `executor.resume(interruption, answers)`.
   */
  readonly interruption: Interruption;
}

/** A waiting call with the fields that identify it. */
export interface StoredCall extends WaitingCall {
  /** True if the SDK asks a person about this call; otherwise it will ask about an identical later call. */
  readonly asked: boolean;
  /** The name of the tool that the SDK calls, which may be `call_tool`. */
  readonly name: string;
  /** The digest of the tool's name and the model's arguments: the same id alone is not the same call. */
  readonly digest: string;
  /** True if the tool has begun to run and was interrupted by a request of its own. */
  readonly suspended: boolean;
}

/** The state of an agent run that is stored until a person has answered. */
interface StoredCalls {
  readonly waiting: StoredCall[];
  /** The approvals of a person for the rest of the run. */
  readonly always: GrantProposal[];
}

/** The property of the SDK's context object, which `RunState.toString()` serialises. */
const property = "@toolweave/openai-agents";

/** The maximum number of waiting calls of one run; the oldest are removed first and have to be requested again. */
const maxWaiting = 1000;

/** Stores that were made here, or validated. */
const wellFormed = new WeakSet<object>();

/**
 * The run that each entry was made in, by the object that all its contexts share: a host may give one context object to
 * several runs. Entries that were restored from a state have none.
 */
const runOfEntry = new WeakMap<object, object>();

/** The stores by run, for a context object that accepts no property. */
const callsByRun = new WeakMap<object, StoredCalls>();

/**
 * The calls of an agent's run that wait for a person, including those of agents that it runs as tools: for the host's
 * decision about the SDK's interruptions, which contain only a call's arguments.
 *
 * @param runContext `result.runContext`.
 */
export function waitingCalls(runContext: RunContext<unknown>): readonly WaitingCall[] {
  checks.object.check("waitingCalls: runContext", runContext);
  return waitingIn(runContext)
    .filter((call) => readDecision(runContext, call) !== false)
    .map(({ callId, interruption }) => ({ callId, interruption }));
}

/**
 * Restores the waiting calls of a run's state in a context of the host's own, for
 * `RunState.fromStringWithContext`: the SDK does not restore the context of the state.
 * `RunState.fromString` does not need it.
 *
 * @param state the text of `RunState.toString()`. If it cannot be read, there are no waiting calls.
 */
export function restoreWaitingCalls(runContext: RunContext<unknown>, state: string): void {
  checks.object.check("restoreWaitingCalls: runContext", runContext);
  const kept = restoreCalls(storedCallsInState(state));
  for (const call of kept.waiting) storeWaiting(runContext, call);
  storeApprovals(runContext, kept.always);
}

/** The calls that wait in the run. */
export function waitingIn(runContext: RunContext<unknown>): readonly StoredCall[] {
  return entriesOfRun(runContext, storedCallsIn(runContext)?.waiting);
}

/** Stores a call until it is answered. */
export function storeWaiting(runContext: RunContext<unknown>, call: StoredCall): void {
  const { waiting } = storedCallsFor(runContext);
  runOfEntry.set(call, runContext.usage);
  waiting.push(call);
  if (waiting.length > maxWaiting) waiting.shift();
}

/** Removes the call, so that it is answered once. False: it has been removed already. */
export function takeWaiting(runContext: RunContext<unknown>, call: StoredCall): boolean {
  const waiting = storedCallsIn(runContext)?.waiting;
  const index = waiting?.indexOf(call) ?? -1;
  if (index < 0) return false;
  waiting?.splice(index, 1);
  return true;
}

/** The approvals of a person for the rest of the run. */
export function storedApprovals(runContext: RunContext<unknown>): readonly GrantProposal[] {
  return entriesOfRun(runContext, storedCallsIn(runContext)?.always);
}

/** Stores approvals for the rest of the run. */
export function storeApprovals(
  runContext: RunContext<unknown>,
  proposals: readonly GrantProposal[],
): void {
  for (const proposal of proposals) runOfEntry.set(proposal, runContext.usage);
  storedCallsFor(runContext).always.push(...proposals);
}

function entriesOfRun<One extends object>(
  { usage }: RunContext<unknown>,
  all: readonly One[] = [],
): readonly One[] {
  return all.length === 0 ? all : all.filter((one) => (runOfEntry.get(one) ?? usage) === usage);
}

function storedCallsIn({ context, usage }: RunContext<unknown>): StoredCalls | undefined {
  if (!isObject(context)) return callsByRun.get(usage);
  const found = context[property];
  if (found === undefined) return callsByRun.get(usage);
  if (isObject(found) && wellFormed.has(found)) return found as unknown as StoredCalls;
  return attach(context, restoreCalls(found));
}

function storedCallsFor(runContext: RunContext<unknown>): StoredCalls {
  const kept = storedCallsIn(runContext);
  if (kept !== undefined) return kept;
  const made: StoredCalls = { waiting: [], always: [] };
  const { context, usage } = runContext;
  if (isObject(context) && attach(context, made) !== undefined) return made;
  callsByRun.set(usage, made);
  return made;
}

function attach(context: Record<string, unknown>, kept: StoredCalls): StoredCalls | undefined {
  wellFormed.add(kept);
  const plain = { value: kept, enumerable: true, configurable: true, writable: true };
  try {
    return Reflect.defineProperty(context, property, plain) ? kept : undefined;
  } catch {
    return undefined;
  }
}

function storedCallsInState(state: string): unknown {
  try {
    const { context } = JSON.parse(state) as { context?: { context?: Record<string, unknown> } };
    return context?.context?.[property];
  } catch {
    return undefined;
  }
}

/** Reads the property of an untrusted state. The parts that matter for security are sealed. */
function restoreCalls(found: unknown): StoredCalls {
  const { waiting, always } = isObject(found) ? found : {};
  return {
    waiting: Array.isArray(waiting) ? waiting.filter(isStoredCall) : [],
    always: Array.isArray(always) ? always.filter(isProposal) : [],
  };
}

function isStoredCall(value: unknown): value is StoredCall {
  if (!isObject(value)) return false;
  const { callId, asked, name, digest, suspended, interruption } = value;
  if (![callId, name, digest].every((text) => typeof text === "string")) return false;
  if (![asked, suspended].every((flag) => typeof flag === "boolean")) return false;
  if (!isObject(interruption)) return false;
  const { call, requests } = interruption;
  return isObject(call) && Array.isArray(requests) && requests.every(isRequest);
}

function isRequest(value: unknown): boolean {
  return isObject(value) && (value["grant"] === undefined || isProposal(value["grant"]));
}

/** Only an object: a proposal is compared with others, and not used otherwise. */
function isProposal(value: unknown): value is GrantProposal {
  return isObject(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

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
