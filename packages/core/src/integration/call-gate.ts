import type { CallOptions } from "../contract/call-options.ts";
import type { Interruption } from "../contract/interruption.ts";
import type { ToolCall } from "../contract/tool-call.ts";
import type { ToolOutcome } from "../contract/tool-result.ts";
import { withdraw } from "../approvals/pending-call-store.ts";
import type { CallName } from "../executor/call/call-state.ts";
import type { ToolRun } from "../executor/tool-executor.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { markRounded } from "../json/exact-number.ts";
import type { JsonObject } from "../json/json.ts";
import type { IntegrationTarget } from "./target.ts";
import { notApprovedText, ToolFailure } from "./content-parts.ts";

/** A call as a framework hands it to a tool. */
export interface FrameworkCall {
  readonly id: string;
  readonly name: string;
  /** The model's arguments: parsed JSON, of any type. */
  readonly input: unknown;
}

/**
 * Converts a framework's call to one of the executor. The framework has parsed the arguments: an integer beyond 2^53 may
 * be rounded, and is refused. A framework that gives the call no id leaves it out.
 */
export function toToolCall({
  id = crypto.randomUUID(),
  name,
  input,
}: Omit<FrameworkCall, "id"> & { readonly id?: string | undefined }): ToolCall {
  if (isObject(input)) return { id, name, arguments: markRounded(input) as JsonObject };
  // The executor would parse a text: a JSON string of the model is one, and not arguments. `null` and a blank
  // text are none.
  const isBlank = input === null || (typeof input === "string" && input.trim() === "");
  return { id, name, arguments: isBlank ? "" : (JSON.stringify(input) ?? "") };
}

interface Admission {
  readonly run: ToolRun;
  readonly call: ToolCall;
  /** Absent: the call would run. */
  readonly refusal: ToolOutcome | undefined;
}

/**
 * Runs the calls of a framework that first asks whether a call needs approval, and then executes it, in this process or
 * in another one with the same key and store. An approval counts once, for the same arguments, caller and session, or for
 * the same run without either.
 */
export class CallGate {
  /** The run that lists the tools: the host's, or the first one of the integration's own. */
  readonly run: ToolRun;
  /** Set when the host has given no run. */
  readonly #runs: DefaultRuns | undefined;
  readonly #principal: unknown;
  /** By the input object, which the framework passes to both functions and no other code can produce. */
  readonly #admitted = new WeakMap<object, Admission>();

  constructor({ executor, run }: IntegrationTarget) {
    this.#runs = run === undefined ? new DefaultRuns(() => executor.startRun()) : undefined;
    this.run = run ?? (this.#runs as DefaultRuns).latest;
    const { caller, sessionId, id } = this.run;
    if (caller !== undefined || sessionId !== undefined) this.#principal = { caller, sessionId };
    else this.#principal = run === undefined ? {} : { runId: id };
  }

  /**
   * Requests the approval of a call that a model has just made. Call it only for such a call: one that the framework
   * takes for approved must not become pending here.
   *
   * @returns `undefined`: the call needs none.
   */
  async requestApproval(call: FrameworkCall): Promise<Interruption | undefined> {
    const admission = await this.#admit(call);
    const { refusal } = admission;
    if (refusal?.status === "interrupted") return refusal.interruption;
    if (isObject(call.input)) this.#admitted.set(call.input, admission);
    return undefined;
  }

  /**
   * Executes the call, or resumes it if the framework says that a person has approved it.
   *
   * @throws ToolFailure `approval_invalid` (by rejecting) if the call needs an approval that it does not have.
   */
  async execute(
    call: FrameworkCall,
    isApproved: boolean,
    options: Pick<CallOptions, "signal" | "onUpdate"> = {},
  ): Promise<ToolOutcome> {
    const interruption = isApproved ? await this.#findWaiting(call) : undefined;
    if (interruption !== undefined) {
      const run = this.#runs?.latest ?? this.run;
      const by = run.caller?.id;
      const answer = { type: "approve", ...(by === undefined ? {} : { by }) } as const;
      return run.executor.resume(interruption, [answer], { ...options, run });
    }
    const { signal } = options;
    const admission = this.#takeAdmission(call) ?? (await this.#admit(call, signal && { signal }));
    const { run, refusal } = admission;
    if (refusal?.status === "interrupted") {
      // It would wait for an answer that is never given, beside the one that was.
      if (isApproved) await withdraw(run.executor.pendingCalls, refusal.interruption);
      throw new ToolFailure("approval_invalid", notApprovedText(call.name));
    }
    // The same object that was admitted: the run continues from there.
    return refusal ?? run.execute(admission.call, options);
  }

  async #admit(call: FrameworkCall, options?: CallOptions): Promise<Admission> {
    const toolCall = toToolCall(call);
    const run = this.#runs?.runFor(call.id) ?? this.run;
    const refusal = await run.checkAdmission(toolCall, options, this.#toName(call));
    return { run, call: toolCall, refusal };
  }

  /**
   * The call that this process or another one has asked about. One that was answered before, too: its outcome is returned
   * again, and nothing runs twice.
   */
  async #findWaiting(call: FrameworkCall): Promise<Interruption | undefined> {
    const name = this.#toName(call);
    const record = name === undefined ? undefined : await this.run.executor.findNamedCall(name);
    return record?.interruption;
  }

  /** `undefined`: the input nests too deeply to be serialized, which admission reports. */
  #toName({ id, name, input }: FrameworkCall): CallName | undefined {
    try {
      return [canonicalJson([this.#principal, id, name, input])];
    } catch {
      return undefined;
    }
  }

  #takeAdmission({ id, name, input }: FrameworkCall): Admission | undefined {
    if (!isObject(input)) return undefined;
    const admission = this.#admitted.get(input);
    this.#admitted.delete(input);
    return admission?.call.id === id && admission.call.name === name ? admission : undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Number of calls after which another run begins, so that their ids need not be remembered forever. */
const maxCalls = 10_000;

/**
 * The runs of calls for which the host has given an executor, and no run. The calls may be of any number of
 * conversations, whose models may give the same ids. An id is unique within a run: a call whose id an earlier one had
 * begins another run.
 */
export class DefaultRuns {
  readonly #start: () => ToolRun;
  readonly #ids = new Set<string>();
  #latest: ToolRun;

  /** @param start starts a run with the tools that the framework was given. */
  constructor(start: () => ToolRun) {
    this.#start = start;
    this.#latest = start();
  }

  /** The run that was started last. */
  get latest(): ToolRun {
    return this.#latest;
  }

  /** The run for a new call with this id. Absent: the call gets a unique one. */
  runFor(callId: string | undefined): ToolRun {
    if (callId === undefined) return this.#latest;
    if (this.#ids.has(callId) || this.#ids.size === maxCalls) {
      this.#ids.clear();
      this.#latest = this.#start();
      // The framework has been given every built-in tool that a later call may need.
      this.#latest.freezeToolset();
    }
    this.#ids.add(callId);
    return this.#latest;
  }
}
