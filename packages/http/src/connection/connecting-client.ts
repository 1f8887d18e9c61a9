import { Client, type buildConnector, type Dispatcher } from "undici";

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
