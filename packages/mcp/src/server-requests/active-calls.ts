import type { ToolContext } from "@toolweave/core";
import type { ActiveCall } from "../options/server-request-options.ts";
import type { ServerRequest } from "../transport/messages/mcp-connection.ts";
import { InvalidServerRequest } from "./form-answer.ts";

/** A request in progress. */
export interface ActiveRequest {
  readonly ctx: ToolContext | undefined;
}

/** The calls of one session that a request of the server may belong to, or the reason why none can be found. */
type Attribution = readonly ToolContext[] | string;

/** A request of the server that may belong to calls of several sessions. */
interface WaitingRequest {
  readonly candidates: Set<ActiveRequest>;
  settle(attribution: Attribution): void;
}

const unnamed = "it does not name the call that it belongs to";

/**
 * The calls in progress over one connection. Up to 2025-11-25 a request of the server does not name its call. On the
 * stream of a call it belongs to that call. Elsewhere it belongs to one of the calls that were in progress when it
 * arrived and that the server has not answered since: it is passed on as soon as they are all of one session.
 */
export class ActiveCalls {
  readonly #requests = new Set<ActiveRequest>();
  #waiting: WaitingRequest | undefined;

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

  /**
   * Ends a registered request.
   *
   * @param isAnswered False: the server may still work on it, and ask for it.
   */
  end(request: ActiveRequest, isAnswered: boolean): void {
    this.#requests.delete(request);
    const waiting = this.#waiting;
    if (waiting?.candidates.delete(request) !== true) return;
    const attribution = isAnswered
      ? attribute(waiting.candidates)
      : `${unnamed}, and one of several in progress was stopped`;
    if (attribution !== undefined) waiting.settle(attribution);
  }

  /**
   * Returns the call of a log message. `undefined`: it is unknown.
   *
   * @param streamOwner The request on whose stream it arrived.
   */
  find(streamOwner: object | undefined): ToolContext | undefined {
    const attribution = attribute(this.#getCandidates(streamOwner));
    return typeof attribution === "object" ? attribution.at(-1) : undefined;
  }

  /**
   * Returns the calls of one session that a request of the server may belong to, the latest one last. If there are
   * calls of several sessions, it waits until the server has answered those of all but one.
   *
   * @param subject The request, for progress messages.
   * @throws InvalidServerRequest when the session cannot be found out.
   */
  async findCalls(
    subject: string,
    { streamOwner, signal }: Pick<ServerRequest, "streamOwner" | "signal">,
  ): Promise<readonly ToolContext[]> {
    const candidates = this.#getCandidates(streamOwner);
    const attribution = attribute(candidates) ?? (await this.#wait(subject, candidates, signal));
    if (typeof attribution !== "string") return attribution;
    notify(candidates, `The call of ${subject} is unknown: ${attribution}.`);
    throw new InvalidServerRequest(attribution, -1);
  }

  async #wait(
    subject: string,
    candidates: Set<ActiveRequest>,
    signal: AbortSignal,
  ): Promise<Attribution> {
    // Each could wait for the call of the other, which ends only after its request was answered.
    if (this.#waiting !== undefined)
      return `${unnamed}, several are in progress, and another request waits for their end`;
    notify(candidates, `${subject} waits for other calls in progress: ${unnamed}.`);
    let cancel = (): void => {};
    try {
      return await new Promise((settle) => {
        this.#waiting = { candidates, settle };
        cancel = () => settle("the server has cancelled it");
        signal.addEventListener("abort", cancel);
        if (signal.aborted) cancel();
      });
    } finally {
      this.#waiting = undefined;
      signal.removeEventListener("abort", cancel);
    }
  }

  #getCandidates(streamOwner: object | undefined): Set<ActiveRequest> {
    return streamOwner === undefined
      ? new Set(this.#requests)
      : new Set([streamOwner as ActiveRequest]);
  }
}

/** Returns the calls of the only session among the candidates; `undefined`: there are several. */
function attribute(candidates: ReadonlySet<ActiveRequest>): Attribution | undefined {
  if (new Set(Array.from(candidates, toSession)).size > 1) return undefined;
  const calls = toCalls(candidates);
  return calls.length === 0 ? `${unnamed}, and none is in progress` : calls;
}

/** Identifies the session that a request is made in: a run without a session is one of its own. */
function toSession(request: ActiveRequest): unknown {
  if (request.ctx === undefined) return request;
  const { sessionId, caller, runId } = request.ctx;
  return JSON.stringify(
    sessionId === undefined ? [runId] : [sessionId, caller?.id, caller?.agent, caller?.roles],
  );
}

/** The calls in progress, each once. */
function toCalls(requests: Iterable<ActiveRequest>): readonly ToolContext[] {
  const calls = new Set<ToolContext>();
  for (const { ctx } of requests) if (ctx !== undefined) calls.add(ctx);
  return [...calls];
}

function notify(requests: Iterable<ActiveRequest>, message: string): void {
  for (const call of toCalls(requests)) call.progress({ message });
}

/** Returns the members of a call that handlers receive. */
export function toActiveCall(ctx: ToolContext, signal: AbortSignal = ctx.signal): ActiveCall {
  const { callId, runId, toolName, caller } = ctx;
  return { callId, runId, toolName, signal, ...(caller === undefined ? {} : { caller }) };
}
