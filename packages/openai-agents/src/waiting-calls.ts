import type { RunContext } from "@openai/agents-core";
import type { GrantProposal, Interruption } from "@toolweave/core";
import { decisionOn } from "./decisions.ts";

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

/** The same, with what it is known again by. */
export interface StoredCall extends WaitingCall {
  /** The SDK asks a person about it; otherwise it will be asked about as another call that reads the same. */
  readonly asked: boolean;
  /** The tool that the SDK calls; not always the one inside of a `call_tool`. */
  readonly name: string;
  /** The digest of the tool's name and the model's arguments: the same id alone is not the same call. */
  readonly digest: string;
  /** The tool has run, and has asked on its way. */
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

/** More do not wait in one run; the oldest have to be asked for again. */
const most = 1000;

/** Made here, or looked through. */
const wellFormed = new WeakSet<object>();

/**
 * The run that each of them was made in, by what all its contexts share: a host may give one context
 * object to several runs. None for what comes from a state.
 */
const madeIn = new WeakMap<object, object>();

/** By the same: for a context object that takes no property. */
const elsewhere = new WeakMap<object, StoredCalls>();

/**
 * The calls of an agent's run that wait for a person, including those of agents that it runs as tools: for the host's
 * decision about the SDK's interruptions, which contain only a call's arguments.
 *
 * @param runContext `result.runContext`.
 */
export function waitingCalls(runContext: RunContext<unknown>): readonly WaitingCall[] {
  return waitingIn(runContext)
    .filter((call) => decisionOn(runContext, call) !== false)
    .map(({ callId, interruption }) => ({ callId, interruption }));
}

/**
 * Takes the calls that wait from a run's state into a context of the host's own, for
 * `RunState.fromStringWithContext`: the SDK leaves behind what the context of the state held.
 * `RunState.fromString` needs none of it.
 *
 * @param state what `RunState.toString()` gave. One that cannot be read has no such calls.
 */
export function restoreWaitingCalls(runContext: RunContext<unknown>, state: string): void {
  const kept = restored(storedCallsInState(state));
  for (const call of kept.waiting) keepWaiting(runContext, call);
  keepAgreed(runContext, kept.always);
}

/** All that wait in the run. */
export function waitingIn(runContext: RunContext<unknown>): readonly StoredCall[] {
  return ofRun(runContext, storedCallsIn(runContext)?.waiting);
}

/** Keeps a call until it is answered. */
export function keepWaiting(runContext: RunContext<unknown>, call: StoredCall): void {
  const { waiting } = storedCallsFor(runContext);
  madeIn.set(call, runContext.usage);
  waiting.push(call);
  if (waiting.length > most) waiting.shift();
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
export function agreedIn(runContext: RunContext<unknown>): readonly GrantProposal[] {
  return ofRun(runContext, storedCallsIn(runContext)?.always);
}

/** Remembers it. */
export function keepAgreed(
  runContext: RunContext<unknown>,
  proposals: readonly GrantProposal[],
): void {
  for (const proposal of proposals) madeIn.set(proposal, runContext.usage);
  storedCallsFor(runContext).always.push(...proposals);
}

function ofRun<One extends object>(
  { usage }: RunContext<unknown>,
  all: readonly One[] = [],
): readonly One[] {
  return all.length === 0 ? all : all.filter((one) => (madeIn.get(one) ?? usage) === usage);
}

function storedCallsIn({ context, usage }: RunContext<unknown>): StoredCalls | undefined {
  if (!isObject(context)) return elsewhere.get(usage);
  const found = context[property];
  if (found === undefined) return elsewhere.get(usage);
  if (isObject(found) && wellFormed.has(found)) return found as unknown as StoredCalls;
  return attached(context, restored(found));
}

function storedCallsFor(runContext: RunContext<unknown>): StoredCalls {
  const kept = storedCallsIn(runContext);
  if (kept !== undefined) return kept;
  const made: StoredCalls = { waiting: [], always: [] };
  const { context, usage } = runContext;
  if (isObject(context) && attached(context, made) !== undefined) return made;
  elsewhere.set(usage, made);
  return made;
}

function attached(context: Record<string, unknown>, kept: StoredCalls): StoredCalls | undefined {
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

/** From a run's state that was stored elsewhere: it may be anything. Its critical parts are sealed. */
function restored(found: unknown): StoredCalls {
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

/** It is only compared with others. */
function isProposal(value: unknown): value is GrantProposal {
  return isObject(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
