import type { Caller } from "@toolweave/core";
import type { ForwardedResult } from "../telemetry/gateway-metrics.ts";
import type { ReplicaAddress } from "./replica-address.ts";
import type { ReplicaOptions } from "./replica-options.ts";
import { Sealer } from "./sealer.ts";
import type {
  ForwardedParts,
  ForwardedRequest,
  ForwardedRequests,
} from "../http/forwarded-requests.ts";
import { toErrorResponse } from "../http/http-exchange.ts";
import { ForwardCredentials, isForwarded, protocolHeaders } from "./forward-credentials.ts";
import { ReplicaConnections } from "./forward-request.ts";

/** Status of a response to a request that is for a process which listened at the same URL before (RFC 9110). */
const misdirected = 421;

/** A request that other replicas may have to answer. */
export interface ReplicaRequest {
  readonly request: Request;
  /** Absent: the request has no body. */
  readonly body: string | undefined;
  readonly caller: Caller | undefined;
}

/** This process among the replicas of a gateway. */
export class Replica implements ForwardedRequests {
  readonly address: ReplicaAddress;
  readonly #credentials: ForwardCredentials;
  readonly #sessions: Sealer;
  readonly #tasks: Sealer;
  readonly #connections = new ReplicaConnections();
  readonly #onForwarded: (result: ForwardedResult) => void;

  /** @param onForwarded Called with the result of each forwarded request. */
  constructor(
    { url }: ReplicaOptions,
    key: string | Uint8Array,
    onForwarded: (result: ForwardedResult) => void,
  ) {
    this.address = { url: new URL(url).href, instance: crypto.randomUUID() };
    this.#credentials = new ForwardCredentials(key, this.address.instance);
    this.#sessions = new Sealer(key, "toolweave mcp session 1");
    this.#tasks = new Sealer(key, "toolweave mcp task 1");
    this.#onForwarded = onForwarded;
  }

  /** Creates the id of a session of this process, for its caller. */
  createSessionId(callerKey: string): Promise<string> {
    return this.#sessions.seal({ ...this.address, id: crypto.randomUUID() }, callerKey);
  }

  /** Returns the process of a session; `undefined`: there is no such session of this caller. */
  async findSession(id: string, callerKey: string): Promise<ReplicaAddress | undefined> {
    return (await this.#sessions.open(id, callerKey)) as ReplicaAddress | undefined;
  }

  /** Returns the id of a task for its client: it names this process. */
  async toTaskId(id: string): Promise<string> {
    return `${id}.${await this.#tasks.seal(this.address, id)}`;
  }

  /** Returns the process that a client's task was started in; `undefined`: the id does not name one. */
  async findTask(taskId: string): Promise<ReplicaAddress | undefined> {
    const [id = "", sealed] = taskId.split(".", 2);
    if (sealed === undefined) return undefined;
    return (await this.#tasks.open(sealed, id)) as ReplicaAddress | undefined;
  }

  /** True if the address is this process. */
  isSelf({ instance }: ReplicaAddress): boolean {
    return instance === this.address.instance;
  }

  /** True if a request claims to be from another replica. */
  isForwarded(request: Request): boolean {
    return isForwarded(request.headers);
  }

  /** Authenticates a request of another replica, or returns the response that rejects it. */
  async accept(request: Request): Promise<ForwardedRequest | Response> {
    const accepted = await this.#credentials.accept(request.headers);
    if (accepted === "other_instance") return misdirectedResponse();
    if (accepted === "invalid") return invalidCredentialResponse();
    return accepted;
  }

  /**
   * Forwards a request to the process that can answer it.
   *
   * @returns its response. `unreachable`: the process has ended, and has not received the request.
   */
  async forward(
    to: ReplicaAddress,
    { request, body, caller }: ReplicaRequest,
  ): Promise<Response | "unreachable"> {
    const parts = toParts(request, body);
    const credential = await this.#credentials.create(to, caller, parts);
    const result = await this.#connections.send(to.url, parts, credential, request.signal);
    if (result === "interrupted") {
      this.#onForwarded("interrupted");
      return toErrorResponse(502, interruptedMessage);
    }
    if (result === "unreachable" || result.status === misdirected) {
      if (result !== "unreachable") await result.body?.cancel();
      this.#onForwarded("unreachable");
      return "unreachable";
    }
    this.#onForwarded("forwarded");
    return result;
  }
}

const interruptedMessage =
  "The gateway process that holds this session or call has stopped responding. If the request was a call, it may have run.";

/** Returns the authenticated parts of a request. */
export function toParts({ method, headers }: Request, body: string | undefined): ForwardedParts {
  return { method, headers: protocolHeaders(headers), ...(body === undefined ? {} : { body }) };
}

/** The response to a forwarded request that this process cannot answer: it is not forwarded again. */
export function misdirectedResponse(): Response {
  return toErrorResponse(misdirected, "This process does not hold the session, call or task.");
}

/** The response to a forged, changed, expired or repeated request. */
export function invalidCredentialResponse(): Response {
  return toErrorResponse(401, "The credential of the forwarded request is not valid.");
}
