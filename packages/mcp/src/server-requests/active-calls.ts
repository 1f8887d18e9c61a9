import type { ToolContext } from "@toolweave/core";
import type { ActiveCall } from "../options/server-request-options.ts";

/** A request in progress. */
export interface ActiveRequest {
  readonly ctx: ToolContext | undefined;
}

/**
 * The calls in progress over one connection. Up to 2025-11-25 a server request does not name its call. If it arrives
 * on the stream of a call, it belongs to that call; otherwise to a run only if no other run has a call in progress.
 */
export class ActiveCalls {
  readonly #requests = new Set<ActiveRequest>();

  /**
   * Registers a request until `end`.
   *
   * @param ctx Its call; `undefined`: it is made for no call.
   */
  begin(ctx: ToolContext | undefined): ActiveRequest {
    const request = { ctx };
    this.#requests.add(request);
    return request;
  }

  end(request: ActiveRequest): void {
    this.#requests.delete(request);
  }

  /** The calls in progress, each once. */
  get all(): ReadonlySet<ToolContext> {
    const calls = new Set<ToolContext>();
    for (const { ctx } of this.#requests) if (ctx !== undefined) calls.add(ctx);
    return calls;
  }

  /**
   * Returns the call of a server request. `undefined`: it is unknown.
   *
   * @param streamOwner The request on whose stream it arrived.
   */
  find(streamOwner: object | undefined): ToolContext | undefined {
    return streamOwner === undefined ? this.#only : (streamOwner as ActiveRequest).ctx;
  }

  /** The latest call of the only run in progress. */
  get #only(): ToolContext | undefined {
    let latest: ToolContext | undefined;
    for (const { ctx } of this.#requests) {
      if (ctx === undefined) return undefined;
      if (latest !== undefined && latest.runId !== ctx.runId) return undefined;
      latest = ctx;
    }
    return latest;
  }
}

/** Returns the members of a call that handlers receive. */
export function toActiveCall(ctx: ToolContext, signal: AbortSignal = ctx.signal): ActiveCall {
  const { callId, runId, toolName, caller } = ctx;
  return { callId, runId, toolName, signal, ...(caller === undefined ? {} : { caller }) };
}
