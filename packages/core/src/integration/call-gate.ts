import type { CallOptions } from "../contract/call-options.ts";
import type { Interruption } from "../contract/interruption.ts";
import type { ToolCall } from "../contract/tool-call.ts";
import type { ToolOutcome } from "../contract/tool-result.ts";
import type { ToolExecutor, ToolRun } from "../executor/tool-executor.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { markRounded } from "../json/exact-number.ts";
import type { JsonObject } from "../json/json.ts";
import { BoundedMap, perObject, type IntegrationTarget } from "./target.ts";
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

/**
 * The interrupted calls of an executor that wait for approval in this process, by a key of the integration's choice. At
 * most 1,000 wait: the oldest is removed first, and has to be requested again.
 */
export class PendingApprovals extends BoundedMap<string, Interruption> {
  /**
   * The pending calls of an executor. They belong to it and not to one list of tools: the answer may come with a later
   * request, for which the host makes its tools anew.
   */
  static readonly of: (executor: ToolExecutor) => PendingApprovals = perObject(
    () => new PendingApprovals(),
  );
}

interface Admission {
  readonly run: ToolRun;
  readonly call: ToolCall;
  /** Absent: the call would run. */
  readonly refusal: ToolOutcome | undefined;
}

/**
 * Runs the calls of a framework that first asks whether a call needs approval, and then executes it, in one process. An
 * approval counts once, for the same arguments, caller and session, or for the same run without either.
 */
export class CallGate {
  /** The run that lists the tools: the host's, or the first one of the integration's own. */
  readonly run: ToolRun;
  /** Set when the host has given no run. */
  readonly #runs: DefaultRuns | undefined;
  readonly #pending: PendingApprovals;
  readonly #principal: unknown;
  /** By the input object, which the framework passes to both functions and no other code can produce. */
  readonly #admitted = new WeakMap<object, Admission>();

  constructor({ executor, run }: IntegrationTarget) {
    this.#runs = run === undefined ? new DefaultRuns(() => executor.startRun()) : undefined;
    this.run = run ?? (this.#runs as DefaultRuns).latest;
    this.#pending = PendingApprovals.of(executor);
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
    if (refusal?.status === "interrupted") {
      // The same call that is requested again replaces the earlier one: one approval is for one of them.
      this.#pending.set(this.#toKey(call), refusal.interruption);
      return refusal.interruption;
    }
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
    const interruption = isApproved ? this.#takePending(call) : undefined;
    if (interruption !== undefined) {
      const run = this.#runs?.latest ?? this.run;
      return run.executor.resume(interruption, [{ type: "approve" }], { ...options, run });
    }
    const { signal } = options;
    const admission = this.#takeAdmission(call) ?? (await this.#admit(call, signal && { signal }));
    const { run, refusal } = admission;
    if (refusal?.status === "interrupted") {
      throw new ToolFailure("approval_invalid", notApprovedText(call.name));
    }
    // The same object that was admitted: the run continues from there.
    return refusal ?? run.execute(admission.call, options);
  }

  async #admit(call: FrameworkCall, options?: CallOptions): Promise<Admission> {
    const toolCall = toToolCall(call);
    const run = this.#runs?.runFor(call.id) ?? this.run;
    return { run, call: toolCall, refusal: await run.checkAdmission(toolCall, options) };
  }

  #takeAdmission({ id, name, input }: FrameworkCall): Admission | undefined {
    if (!isObject(input)) return undefined;
    const admission = this.#admitted.get(input);
    this.#admitted.delete(input);
    return admission?.call.id === id && admission.call.name === name ? admission : undefined;
  }

  #takePending(call: FrameworkCall): Interruption | undefined {
    let key: string;
    try {
      key = this.#toKey(call);
    } catch {
      // Input that nests too deeply to be serialized: admission reports that, and no such call is pending.
      return undefined;
    }
    return this.#pending.take(key);
  }

  #toKey({ id, name, input }: FrameworkCall): string {
    return canonicalJson([this.#principal, id, name, input]);
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
