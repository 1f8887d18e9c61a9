import type { ToolContext } from "@toolweave/core";
import type { LiveCall } from "../options/ask-options.ts";

/** A request that is under way. */
export interface ActiveRequest {
  readonly ctx: ToolContext | undefined;
}

/**
 * The calls that are under way over one connection. Up to 2025-11-25 a question does not say which call it is about: it
 * belongs to a run only when no other run has a call there.
 */
export class ActiveCalls {
  readonly #requests = new Set<ActiveRequest>();

  /** The call is under way until `end`. `undefined`: it is done for no call. */
  begin(ctx: ToolContext | undefined): ActiveRequest {
    const request = { ctx };
    this.#requests.add(request);
    return request;
  }

  end(request: ActiveRequest): void {
    this.#requests.delete(request);
  }

  /** The latest call of the only run that anything is done for. `undefined`: nobody can say whose a question is. */
  get only(): ToolContext | undefined {
    let latest: ToolContext | undefined;
    for (const { ctx } of this.#requests) {
      if (ctx === undefined) return undefined;
      if (latest !== undefined && latest.runId !== ctx.runId) return undefined;
      latest = ctx;
    }
    return latest;
  }
}

/** What a handler may know of a call. */
export function toLiveCall(ctx: ToolContext, signal: AbortSignal = ctx.signal): LiveCall {
  const { callId, runId, toolName, caller } = ctx;
  return { callId, runId, toolName, signal, ...(caller === undefined ? {} : { caller }) };
}
