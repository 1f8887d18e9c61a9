import {
  displayProse,
  canonicalJson,
  type CallOptions,
  type Interruption,
  type JsonObject,
  type ToolCall,
  type ToolOutcome,
  type ToolRun,
} from "@toolweave/core";
import type { ModelMessage } from "ai";
import { isApproved } from "./is-approved.ts";
import { PendingApprovals } from "./pending-approvals.ts";
import { ToolFailure } from "./tool-failure.ts";

/** A call as the SDK hands it to a tool. */
export interface SdkCall {
  readonly id: string;
  readonly name: string;
  /** Parsed JSON, of any type. */
  readonly input: unknown;
  readonly messages: readonly ModelMessage[];
}

/** A question to a person. */
export interface Question {
  /** The intention of the call, and why the policy asks. Absent: it has been given before. */
  readonly reason?: string;
}

/** The admission of a call that the SDK has not executed yet. */
interface Admission {
  readonly call: ToolCall;
  /** Absent: the call would run. */
  readonly refusal: ToolOutcome | undefined;
}

/** Between the SDK's two questions, "does this call need approval?" and "execute it", and one run. */
export class CallGate {
  readonly #run: ToolRun;
  readonly #pending: PendingApprovals;
  readonly #onBehalfOf: unknown;
  /** By the input object, which the SDK passes to both functions and no other code can produce. */
  readonly #admitted = new WeakMap<object, Admission>();

  /** @param ofHost the run is the host's own; otherwise it has no caller. */
  constructor(run: ToolRun, ofHost: boolean) {
    this.#run = run;
    this.#pending = PendingApprovals.of(run.executor);
    const { caller, sessionId } = run;
    if (caller !== undefined || sessionId !== undefined) {
      this.#onBehalfOf = { caller, sessionId };
    } else {
      this.#onBehalfOf = ofHost ? { runId: run.id } : {};
    }
  }

  /** The approval that the call needs before it may be executed; `undefined`: none. */
  async asks(call: SdkCall): Promise<Question | undefined> {
    // The SDK asks once more about what a person has answered. Messages come from outside: a call
    // that first appears here, approval and all, must not become pending, or it would run.
    if (isApproved(call.messages, call.id)) return {};
    const admission = await this.#admit(call);
    const { refusal } = admission;
    if (refusal?.status === "interrupted") {
      this.#pending.add(this.#keyOf(call), refusal.interruption);
      return { reason: reasonOf(refusal.interruption) };
    }
    if (isObject(call.input)) this.#admitted.set(call.input, admission);
    return undefined;
  }

  /**
   * Executes the call, or resumes it when a person has approved it.
   *
   * @throws ToolError `approval_invalid` when the call needs an approval that it does not have.
   */
  async execute(
    call: SdkCall,
    signal: AbortSignal | undefined,
    onUpdate?: CallOptions["onUpdate"],
  ): Promise<ToolOutcome> {
    const options = { ...(signal && { signal }), ...(onUpdate && { onUpdate }) };
    if (isApproved(call.messages, call.id)) {
      const key = this.#keyIfPlain(call);
      const interruption = key === undefined ? undefined : this.#pending.take(key);
      if (interruption !== undefined) {
        const run = this.#run;
        return run.executor.resume(interruption, [{ type: "approve" }], { ...options, run });
      }
    }
    const admission = this.#takeAdmission(call) ?? (await this.#admit(call, signal && { signal }));
    if (admission.refusal?.status === "interrupted") throw notApproved(call.name);
    // The same object that was admitted: the run continues from there.
    return admission.refusal ?? this.#run.execute(admission.call, options);
  }

  async #admit(
    { id, name, input }: SdkCall,
    options?: { readonly signal?: AbortSignal },
  ): Promise<Admission> {
    // The executor would parse a text: what the model sent as a JSON string is one, not arguments.
    const args = isObject(input) ? (input as JsonObject) : (JSON.stringify(input) ?? "");
    const call: ToolCall = { id, name, arguments: args };
    return { call, refusal: await this.#run.checkAdmission(call, options) };
  }

  #takeAdmission({ id, name, input }: SdkCall): Admission | undefined {
    if (!isObject(input)) return undefined;
    const admission = this.#admitted.get(input);
    this.#admitted.delete(input);
    return admission?.call.id === id && admission.call.name === name ? admission : undefined;
  }

  /** Nothing for input that nests too deeply to be serialised: admission reports that, and no such call is pending. */
  #keyIfPlain(call: SdkCall): string | undefined {
    try {
      return this.#keyOf(call);
    } catch {
      return undefined;
    }
  }

  #keyOf({ id, name, input }: SdkCall): string {
    return canonicalJson([this.#onBehalfOf, id, name, input]);
  }
}

function reasonOf({ requests }: Interruption): string {
  const reasons = requests.map((request) =>
    request.type === "approval"
      ? `${displayProse(request.permission.summary)} (${displayProse(request.reason)})`
      : request.type,
  );
  return reasons.join("; ");
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function notApproved(name: string): ToolFailure {
  return new ToolFailure(
    "approval_invalid",
    `${name} was not run now: it needs a person's approval, and this call has none that is valid. ` +
      `An approval counts once, for the arguments that were shown, and not for ever. ` +
      `If it has not been done already, call ${name} again to ask anew.`,
  );
}
