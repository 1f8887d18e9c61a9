import type { JsonObject, JsonValue } from "@toolweave/core";
import { isObject } from "../../schema/schema-keywords.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import { withTimeout } from "../clients/with-timeout.ts";
import type { WatchedResources } from "../providers/watched-resources.ts";

/** What a `subscriptions/listen` wants to hear of; `undefined`: it is something else. */
export function readListenRequest(message: unknown): JsonObject | undefined {
  if (!isObject(message as JsonValue)) return undefined;
  const { method, params } = message as JsonObject;
  if (method !== "subscriptions/listen") return undefined;
  const { notifications } = isObject(params) ? params : {};
  return isObject(notifications) ? notifications : {};
}

/** Milliseconds that providers get before the client is told that it listens: one that hangs is told of later. */
const answerTimeoutMs = 5_000;

interface Stream {
  /** A change that comes after it reaches the client. */
  readonly ready: Promise<unknown>;
  end(): void;
}

/**
 * What one client listens to (2026-07-28, basic/utilities/subscriptions): the SDK delivers, and here the providers are
 * told what is worth telling. What the client cannot hear of is taken out of its request, so that it is told that, and
 * hears nothing because others may.
 */
export class ChangeSubscriptions {
  readonly #watched: WatchedResources;
  readonly #client: GatewayClient;
  /** Watches for each stream, by the id of the request that has opened it. */
  readonly #streams = new Map<unknown, () => void>();

  constructor(watched: WatchedResources, client: GatewayClient) {
    this.#watched = watched;
    this.#client = client;
  }

  /**
   * Over stdio: a stream ends when it is cancelled.
   *
   * @returns when the client may be told that it listens; `undefined`: there is nothing to wait for.
   */
  hear(message: unknown): Promise<unknown> | undefined {
    const wanted = readListenRequest(message);
    const { id, method, params } = (message ?? {}) as JsonObject;
    if (wanted !== undefined) {
      if (this.#streams.has(id)) return undefined;
      const stream = this.#open(wanted);
      if (stream === undefined) {
        // The SDK counts streams only, and would say that the client hears of them.
        if (wanted["resourceSubscriptions"] !== undefined) {
          Object.assign(wanted, { resourceSubscriptions: [] });
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
   * Over HTTP: a stream ends with its request.
   *
   * @returns what ends it sooner, as soon as the client may be told that it listens; `undefined`: its caller has as
   *   many streams as it may.
   */
  async begin(request: Request, wanted: JsonObject): Promise<(() => void) | undefined> {
    const stream = this.#open(wanted);
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

  #open(wanted: JsonObject): Stream | undefined {
    const { budget } = this.#client;
    if (!budget.openStream()) return undefined;
    let isOpen = true;
    const ended = new AbortController();
    const watcher = this.#client.twin();
    const { resourceSubscriptions: given } = wanted;
    const uris = Array.isArray(given) ? given.filter((uri) => typeof uri === "string") : [];
    const refused = new Set<string>();
    // What nobody tells of is no reason not to hear of the rest.
    const watches = uris.map((uri) =>
      this.#watched.watch(watcher, uri, ended.signal).catch(() => refused.add(uri)),
    );
    const heard = async (): Promise<void> => {
      await withTimeout(Promise.all(watches), answerTimeoutMs);
      if (refused.size === 0) return;
      Object.assign(wanted, { resourceSubscriptions: uris.filter((uri) => !refused.has(uri)) });
    };
    return {
      ready: heard(),
      end: () => {
        ended.abort();
        if (isOpen) budget.closeStream();
        isOpen = false;
        this.#watched.forget(watcher);
      },
    };
  }
}
