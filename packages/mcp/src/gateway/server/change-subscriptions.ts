import type { JsonObject, JsonValue } from "@toolweave/core";
import { isObject, withTimeout } from "@toolweave/core/adapter";
import type { GatewayClient } from "../clients/gateway-client.ts";
import type { WatchedResources } from "../providers/watched-resources.ts";

/** Returns the filter of a `subscriptions/listen`; `undefined`: it is another message. */
export function readListenRequest(message: unknown): JsonObject | undefined {
  if (!isObject(message as JsonValue)) return undefined;
  const { method, params } = message as JsonObject;
  if (method !== "subscriptions/listen") return undefined;
  const { notifications } = isObject(params) ? params : {};
  return isObject(notifications) ? notifications : {};
}

/** Milliseconds that providers get before the acknowledgement: a hanging one must not block it. */
const answerTimeoutMs = 5_000;

interface Stream {
  /** Resolves when all later changes reach the client. */
  readonly ready: Promise<unknown>;
  end(): void;
}

/**
 * Subscriptions of one client (2026-07-28, basic/utilities/subscriptions): the SDK delivers notifications; this class
 * subscribes to the providers. Resources that the client cannot watch are removed from its request, so that the
 * acknowledgement says so.
 */
export class ChangeSubscriptions {
  readonly #watched: WatchedResources;
  readonly #client: GatewayClient;
  /** Functions that end the streams, by the id of the request. */
  readonly #streams = new Map<unknown, () => void>();

  constructor(watched: WatchedResources, client: GatewayClient) {
    this.#watched = watched;
    this.#client = client;
  }

  /**
   * Handles a message over stdio, where a stream ends when it is cancelled.
   *
   * @returns a promise that resolves when the request may be acknowledged; `undefined`: there is nothing to wait for.
   */
  onMessage(message: unknown): Promise<unknown> | undefined {
    const filter = readListenRequest(message);
    const { id, method, params } = (message ?? {}) as JsonObject;
    if (filter !== undefined) {
      if (this.#streams.has(id)) return undefined;
      const stream = this.#open(filter);
      if (stream === undefined) {
        // The SDK only counts streams, and would acknowledge the subscriptions.
        if (filter["resourceSubscriptions"] !== undefined) {
          Object.assign(filter, { resourceSubscriptions: [] });
        }
        return undefined;
      }
      this.#streams.set(id, stream.end);
      return stream.ready;
    }
    if (method === "notifications/cancelled" && isObject(params)) {
      const { requestId } = params;
      this.#streams.get(requestId)?.();
      this.#streams.delete(requestId);
    }
    return undefined;
  }

  /**
   * Opens a stream over HTTP, which ends with its request.
   *
   * @returns a function that ends it sooner, as soon as the request may be acknowledged; `undefined`: the caller's
   * limit of streams is reached.
   */
  async begin(request: Request, filter: JsonObject): Promise<(() => void) | undefined> {
    const stream = this.#open(filter);
    if (stream === undefined) return undefined;
    const { end, ready } = stream;
    if (request.signal.aborted) end();
    else request.signal.addEventListener("abort", end, { once: true });
    await ready;
    return end;
  }

  close(): void {
    for (const end of this.#streams.values()) end();
    this.#streams.clear();
  }

  #open(filter: JsonObject): Stream | undefined {
    const { budget } = this.#client;
    if (!budget.openStream()) return undefined;
    let isOpen = true;
    const ended = new AbortController();
    const watcher = this.#client.withOwnSubscriptions();
    const { resourceSubscriptions: requested } = filter;
    const uris = Array.isArray(requested) ? requested.filter((uri) => typeof uri === "string") : [];
    const rejected = new Set<string>();
    // A resource without a provider does not affect the others.
    const watches = uris.map((uri) =>
      this.#watched.watch(watcher, uri, ended.signal).catch(() => rejected.add(uri)),
    );
    const acknowledge = async (): Promise<void> => {
      await withTimeout(Promise.all(watches), answerTimeoutMs).catch(() => {});
      if (rejected.size === 0) return;
      Object.assign(filter, { resourceSubscriptions: uris.filter((uri) => !rejected.has(uri)) });
    };
    return {
      ready: acknowledge(),
      end: () => {
        ended.abort();
        if (isOpen) budget.closeStream();
        isOpen = false;
        this.#watched.removeClient(watcher);
      },
    };
  }
}
