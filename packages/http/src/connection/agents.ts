import { Agent, buildConnector, Pool, Client, type Dispatcher } from "undici";
import type { Reach } from "../address/origin.ts";
import { guardedConnector } from "./guarded-connector.ts";
import type { TlsIdentity } from "./tls-identity.ts";

type Agents = Map<Reach, { readonly queued: Agent; readonly unqueued: Agent }>;

/** Maximum number of connections to one origin; further requests wait for a free one. */
const maxConnections = 128;

/**
 * Milliseconds before the end of a server's keep-alive time at which a connection is closed here. Node's servers close
 * an idle connection after 5 seconds. A POST that is sent at that moment fails, and cannot be repeated; timers of a busy
 * process are late by seconds.
 */
const keepAliveTimeoutThreshold = 4_000;

const agents: Agents = new Map();
const agentsByIdentity = new WeakMap<TlsIdentity, Agents>();

/**
 * Returns the agent whose connection pools a request uses; the pools belong to the process, one for each origin. There
 * is one agent for each reach, so that a socket that was opened for a host's own origin never serves a request that may
 * only reach public addresses. There is one for each identity, so that a socket that presented a certificate never
 * serves a request without it. Unqueued requests (`HttpRequest.unqueued`) have connections of their own, without a
 * limit.
 */
export function getAgent(reach: Reach, identity?: TlsIdentity, unqueued = false): Agent {
  const ofIdentity = identity === undefined ? agents : agentsForIdentity(identity);
  let pair = ofIdentity.get(reach);
  if (pair === undefined) {
    const connect = guardedConnector(reach, { build: buildConnector, identity });
    // undici's timeouts are idle timers, restarted by every byte; each request has a deadline of its own.
    const options = {
      connect,
      factory: createPool,
      allowH2: false,
      keepAliveTimeoutThreshold,
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    pair = {
      queued: new Agent({ ...options, connections: maxConnections }),
      unqueued: new Agent(options),
    };
    ofIdentity.set(reach, pair);
  }
  return unqueued ? pair.unqueued : pair.queued;
}

function createPool(origin: string | URL, options: object): Pool {
  const factory = (to: URL, of: object): ConnectingClient =>
    new ConnectingClient(to, of as ConstructorParameters<typeof ConnectingClient>[1]);
  return new Pool(origin, { ...options, factory });
}

function agentsForIdentity(identity: TlsIdentity): Agents {
  let found = agentsByIdentity.get(identity);
  if (found === undefined) {
    found = new Map();
    agentsByIdentity.set(identity, found);
  }
  return found;
}

/** The socket that a connector returns before it has connected. */
interface Connecting {
  destroy(error: Error): unknown;
}

/** A request that can be aborted before it has a connection. */
export interface PendingConnection {
  /** The request has settled and no longer needs a connection. */
  readonly isSettled: boolean;
  /** The client that connects for it, once there is one. */
  connectingClient: ConnectingClient | undefined;
}

/**
 * One connection of a pool. undici aborts a request that waits for its connection only when the connection is
 * established or has failed. Until then (10 seconds for a server that accepts and sends nothing) the request keeps its
 * socket and its slot in the pool. This client closes the socket when the request that it connects for is aborted. A
 * connecting client has exactly one request, because the pool gives it no other one before.
 */
export class ConnectingClient extends Client {
  readonly #attempt: { socket: Connecting | undefined };

  /** @param options of the pool, with the connector to use. */
  constructor(
    origin: URL,
    options: Client.Options & { readonly connect: buildConnector.connector },
  ) {
    const attempt: { socket: Connecting | undefined } = { socket: undefined };
    super(origin, {
      ...options,
      connect(target, callback) {
        const connect = options.connect as (...parts: unknown[]) => Connecting | undefined;
        attempt.socket = connect(target, (...outcome: Parameters<buildConnector.Callback>) => {
          attempt.socket = undefined;
          callback(...outcome);
        });
      },
    });
    this.#attempt = attempt;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler & Partial<PendingConnection>,
  ): boolean {
    // The request was aborted while it waited in the pool: the next request may take its slot.
    if (handler.isSettled === true) return true;
    handler.connectingClient = this;
    return super.dispatch(options, handler);
  }

  /** Aborts the attempt to connect; the pool then removes this client. Does nothing when there is no attempt. */
  abortConnecting(): void {
    this.#attempt.socket?.destroy(new Error("the request was aborted"));
  }
}
