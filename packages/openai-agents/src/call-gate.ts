import type { RunContext } from "@openai/agents-core";
import type {
  Answer,
  GrantProposal,
  Interruption,
  InterruptionRequest,
  JsonObject,
  ResumeOptions,
  ToolCall,
  ToolExecutor,
  ToolOutcome,
  ToolRun,
  Toolset,
  RunOptions,
} from "@toolweave/core";
import {
  canonicalJson,
  hasLongNumbers,
  isObject,
  markRounded,
  parseExact,
  parseLossless,
  stringifyExact,
  withoutBigints,
} from "@toolweave/core/adapter";
import type { ToolInput } from "@toolweave/providers";
import {
  isAlwaysApproved,
  readDecision,
  isAnswerable,
  storedApprovals,
  storeApprovals,
  storeWaiting,
  takeWaiting,
  waitingIn,
  type DecidedCall,
  type StoredCall,
} from "./waiting-calls.ts";

/** A call as the SDK hands it to a tool. */
export interface SdkCall extends DecidedCall {
  /** The arguments, as the model wrote them. */
  readonly text: string;
  readonly toolInput: ToolInput;
}

/** A call about which the SDK asks whether it needs approval. */
interface SdkQuestion extends Pick<SdkCall, "callId" | "name" | "toolInput"> {
  /** The arguments, as the SDK has parsed them. */
  readonly args: JsonObject;
}

/** Runs the calls of the SDK, which first asks whether a call needs approval and then executes it. */
export class SdkCallGate<Context> {
  readonly #executor: ToolExecutor;
  readonly #builtIns: Toolset;
  readonly #runs: AgentRuns<Context>;
  /** The tools that have asked a person while they ran. */
  readonly #suspending = new Set<string>();

  /** @param builtIns a toolset with the built-in tools that are listed. */
  constructor(executor: ToolExecutor, builtIns: Toolset, runs: AgentRuns<Context>) {
    this.#executor = executor;
    this.#builtIns = builtIns;
    this.#runs = runs;
  }

  /**
   * False if no person is ever asked about a call of the tool: the policy decides by the tool alone, and the tool
   * proposes no permissions. The next call of a tool that asked while it ran is asked about.
   */
  mayAsk(name: string): boolean {
    // Of `call_tool`, the policy decides about the call that it contains.
    if (this.#suspending.has(name) || name === "call_tool") return true;
    const registered = this.#executor.registry.toolset();
    const toolset = registered.entry(name) === undefined ? this.#builtIns : registered;
    const effect = this.#executor.decideByTool(name, toolset);
    if (effect !== "allow" && effect !== "deny") return true;
    return toolset.entry(name)?.tool.preflight !== undefined;
  }

  /** True when the tool is listed for the model of this agent run. */
  async isListed(runContext: RunContext<Context>, name: string): Promise<boolean> {
    for (const call of waitingIn(runContext)) {
      if (call.name !== name) continue;
      // Also of a run that began in another process.
      this.#suspending.add(name);
      await this.#closeIfDeclined(runContext, call);
    }
    return this.#runs.of(runContext).run.toolset.get(name) !== undefined;
  }

  /** True when a person has to approve the call before the SDK may execute it. */
  async needsApproval(
    runContext: RunContext<Context>,
    { callId, name, args: input, toolInput }: SdkQuestion,
  ): Promise<boolean> {
    const asked = await findWaiting(runContext, { callId, name }, () => input);
    if (asked !== undefined) {
      if (asked.callId === callId) return true;
      // The same call may be asked about twice in one turn: the first approved one resumes.
      if (!asked.asked) takeWaiting(runContext, asked);
      storeWaiting(runContext, { ...asked, asked: true, callId });
      return true;
    }
    const { run, admitted } = this.#runs.of(runContext);
    // The SDK has parsed the input: the call is checked with its own text when it is executed.
    if (markRounded(input) !== input) return false;
    const call = { id: callId, name, arguments: toolInput.restore(input) };
    const refusal = await run.checkAdmission(call);
    if (refusal?.status === "interrupted") {
      const { interruption } = refusal;
      const digest = await callDigest(name, input);
      const waiting = { callId, asked: true, name, digest, suspended: false, interruption };
      storeWaiting(runContext, waiting);
      return true;
    }
    admitted.set(callId, { call, input, refusal });
    return false;
  }

  /**
   * Executes the call, or resumes it when a person has approved it.
   *
   * @returns `undefined` when it needs an approval that it does not have.
   */
  async execute(
    runContext: RunContext<Context>,
    call: SdkCall,
    signal: AbortSignal | undefined,
  ): Promise<ToolOutcome | undefined> {
    const outcome = await this.#outcome(runContext, call, signal && { signal });
    if (outcome?.status === "interrupted") {
      const { callId, name, text } = call;
      const digest = await callDigest(name, toDigest(text));
      const { interruption } = outcome;
      this.#suspending.add(name);
      const waiting = { callId, asked: false, name, digest, suspended: true, interruption };
      storeWaiting(runContext, waiting);
    }
    return outcome;
  }

  async #outcome(
    runContext: RunContext<Context>,
    call: SdkCall,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<ToolOutcome | undefined> {
    const agentRun = this.#runs.of(runContext);
    const { run } = agentRun;
    const asked = await findWaiting(runContext, call, () => toDigest(call.text));
    const isAsked = asked?.callId === call.callId;
    if (asked !== undefined && readDecision(runContext, call) === true) {
      // The SDK has not asked about this call, but a person has approved every call of the tool.
      if (!isAsked && !isApprovedForAll(runContext, asked.interruption)) return undefined;
      if (takeWaiting(runContext, asked))
        return resumeCall(runContext, call, asked, { ...options, run });
    } else if (isAsked) {
      // It waits, and another call with its id would be refused.
      return undefined;
    }
    const admission = takeAdmission(agentRun, call) ?? (await admit(run, call, options));
    const { refusal } = admission;
    if (refusal?.status !== "interrupted") {
      // The same object that was admitted: the run continues from there.
      return refusal ?? run.execute(admission.call, options);
    }
    const { interruption } = refusal;
    if (!isAlwaysApproved(runContext, call) || !isApprovedForAll(runContext, interruption)) {
      if (!isRounded(call.text)) return undefined;
      return run.executor.resume(interruption, [roundedRefusal], { ...options, run });
    }
    return run.executor.resume(interruption, approve, { ...options, run });
  }

  /** The SDK does not notify tools of a refusal: this informs the executor, its store and its audit. */
  async #closeIfDeclined(runContext: RunContext<Context>, call: StoredCall): Promise<void> {
    if (readDecision(runContext, call) !== false || !takeWaiting(runContext, call)) return;
    // A suspended call that has run already would resume with the refusal, and its result would not be read.
    if (call.suspended) return;
    const { run } = this.#runs.of(runContext);
    const reason = runContext.getRejectionMessage(call.name, call.callId);
    const no = { type: "reject" as const, ...(reason === undefined ? {} : { reason }) };
    await run.executor.resume(call.interruption, [no], { run });
  }
}

const approve: readonly Answer[] = [{ type: "approve" }];

/** Resumes a call that a person has approved. */
function resumeCall(
  runContext: RunContext<unknown>,
  call: SdkCall,
  { interruption }: StoredCall,
  options: ResumeOptions & { readonly run: ToolRun },
): Promise<ToolOutcome> {
  if (isAlwaysApproved(runContext, call))
    storeApprovals(runContext, grantProposals(interruption.requests));
  return options.run.executor.resume(interruption, approve, options);
}

/** Finds the waiting call of this id, or an identical one whose tool was interrupted while it ran. */
async function findWaiting(
  runContext: RunContext<unknown>,
  { callId, name }: DecidedCall,
  input: () => unknown,
): Promise<StoredCall | undefined> {
  const waiting = waitingIn(runContext);
  if (waiting.length === 0) return undefined;
  // A call that nests too deeply to be serialised is never pending.
  const digest = await callDigest(name, input()).catch(() => undefined);
  const same = waiting.filter(
    (one) => one.digest === digest && isAnswerable(one.interruption.requests),
  );
  return same.find((one) => one.callId === callId) ?? same.find((one) => one.suspended);
}

function takeAdmission(
  { admitted }: AgentRun,
  { callId, name, text }: SdkCall,
): Admission | undefined {
  const admission = admitted.get(callId);
  if (admission === undefined) return undefined;
  admitted.delete(callId);
  const isSame = admission.call.name === name && isWrittenAs(admission.input, text);
  return isSame ? admission : undefined;
}

/** True for the input that was admitted: an id may occur twice, and the SDK does not ask about every call. */
function isWrittenAs(input: JsonObject, text: string): boolean {
  try {
    const written = JSON.stringify(input);
    return written === text || written === stringifyExact(parseExact(text));
  } catch {
    return false;
  }
}

async function admit(
  run: ToolRun,
  { callId, name, text, toolInput }: SdkCall,
  options: { readonly signal?: AbortSignal },
): Promise<Pick<Admission, "call" | "refusal">> {
  const call: ToolCall = { id: callId, name, arguments: toolInput.restoreText(text) };
  return { call, refusal: await run.checkAdmission(call, options) };
}

function parseJson(text: string): unknown {
  try {
    return parseLossless(text);
  } catch {
    return text;
  }
}

function grantProposals(requests: readonly InterruptionRequest[]): GrantProposal[] {
  return requests.flatMap((request) =>
    request.type === "approval" && request.grant !== undefined ? [request.grant] : [],
  );
}

/** True for arguments of which the SDK has rounded an integer: it would display another one to a person. */
function isRounded(text: string): boolean {
  if (!hasLongNumbers(text)) return false;
  const parsed: unknown = JSON.parse(text);
  return markRounded(parsed) !== parsed;
}

const roundedRefusal: Answer = {
  type: "reject",
  reason:
    "a person has to approve it, and would see a rounded integer: send integers beyond 2^53 as texts, in quotes",
};

/** The arguments for a digest, in which equal texts of numbers are equal. */
function toDigest(text: string): unknown {
  const value = parseJson(text);
  return isObject(value) ? withoutBigints(value) : value;
}

/**
 * True when a person has approved the same tool and permissions for the rest of the run, whatever the arguments are.
 */
function isApprovedForAll(runContext: RunContext<unknown>, { requests }: Interruption): boolean {
  const needed = grantProposals(requests);
  if (needed.length < requests.length) return false;
  const agreed = new Set(storedApprovals(runContext).map(withoutArguments));
  return needed.every((proposal) => agreed.has(withoutArguments(proposal)));
}

function withoutArguments({ tool, specHash, permission, caller }: GrantProposal): string {
  return canonicalJson([tool, specHash, permission, caller]);
}

/**
 * Identifies a call by its tool and the input of the model: SHA-256, in hexadecimal digits.
 *
 * @param input parsed JSON.
 * @throws RangeError when it nests too deeply to be serialized.
 */
async function callDigest(name: string, input: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalJson([name, input]));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The admission of a call that the SDK has not executed yet. */
interface Admission {
  readonly call: ToolCall;
  /** The model's input, parsed. */
  readonly input: JsonObject;
  /** Absent: the call would run. */
  readonly refusal: ToolOutcome | undefined;
}

/** One agent run, with the agents that it runs as tools. */
interface AgentRun {
  readonly run: ToolRun;
  /** By call id. */
  readonly admitted: Map<string, Admission>;
}

/** The agent runs that the tools are called in, each with a `ToolRun` of its own. */
export class AgentRuns<Context> {
  readonly #start: (runContext: RunContext<Context>) => ToolRun;
  /** By the object that all contexts of one run share: an agent that is run as a tool has no budget of its own. */
  readonly #runs = new WeakMap<object, AgentRun>();

  constructor(start: (runContext: RunContext<Context>) => ToolRun) {
    this.#start = start;
  }

  of(runContext: RunContext<Context>): AgentRun {
    const { usage } = runContext;
    let agentRun = this.#runs.get(usage);
    if (agentRun === undefined) {
      agentRun = { run: this.#start(runContext), admitted: new Map() };
      this.#runs.set(usage, agentRun);
    }
    return agentRun;
  }
}

/**
 * The options of an agent's run. A single run cannot choose the tools, and its signal is the one that the SDK's `run`
 * takes.
 */
export type AgentRunOptions = Omit<RunOptions, "search" | "signal" | "toolset">;
