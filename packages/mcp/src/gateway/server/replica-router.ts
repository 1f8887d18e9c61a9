import { toCallerKey, type GatewayClient } from "../clients/gateway-client.ts";
import type { RequestStates } from "../clients/request-states.ts";
import type { ReplicaAddress } from "../replicas/replica-address.ts";
import { misdirectedResponse, type Replica, type ReplicaRequest } from "../replicas/replica.ts";
import { findHolder } from "../replicas/route-request.ts";
import { sessionNotFoundResponse, type LegacySessions } from "./legacy-sessions.ts";

/** A request that another process may have to answer. */
export interface RoutedRequest extends ReplicaRequest {
  /** Another replica has forwarded it: it is not forwarded again. */
  readonly isForwarded: boolean;
}

/** Forwards requests to the process that holds their session, call or task. */
export class ReplicaRouter {
  readonly #replica: Replica;
  readonly #sessions: LegacySessions;
  readonly #states: RequestStates;

  constructor(replica: Replica, sessions: LegacySessions, states: RequestStates) {
    this.#replica = replica;
    this.#sessions = sessions;
    this.#states = states;
  }

  /** Forwards a request of a session (up to 2025-11-25); `undefined`: this process answers. */
  async forwardSession(routed: RoutedRequest): Promise<Response | undefined> {
    const { request, caller, isForwarded } = routed;
    const id = request.headers.get("mcp-session-id");
    if (id === null || this.#sessions.has(id)) return undefined;
    if (isForwarded) return misdirectedResponse();
    const holder = await this.#replica.findSession(id, toCallerKey(caller));
    if (holder === undefined || this.#replica.isSelf(holder)) return undefined;
    const response = await this.#replica.forward(holder, routed);
    return response === "unreachable" ? sessionNotFoundResponse() : response;
  }

  /**
   * Forwards a request of 2026-07-28; `undefined`: this process answers, also if the other one has ended. Then it
   * answers from the store, or says what happened.
   */
  async forwardToHolder(
    client: GatewayClient,
    body: unknown,
    routed: RoutedRequest,
  ): Promise<Response | undefined> {
    const holder = await this.#findHolder(client, body);
    if (holder === undefined || this.#replica.isSelf(holder)) return undefined;
    if (routed.isForwarded) return misdirectedResponse();
    const response = await this.#replica.forward(holder, routed);
    return response === "unreachable" ? undefined : response;
  }

  #findHolder(client: GatewayClient, body: unknown): Promise<ReplicaAddress | undefined> {
    return findHolder(body, {
      findCall: async (tool, requestState) => {
        // An invalid one is rejected when the request is handled.
        const state = await this.#states.open(client, tool, requestState).catch(() => undefined);
        return state !== undefined && "runId" in state ? state.replica : undefined;
      },
      findTask: (taskId) => this.#replica.findTask(taskId),
    });
  }
}
