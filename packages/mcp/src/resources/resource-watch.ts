import type { JsonObject } from "@toolweave/core";
import { isObject, pause } from "@toolweave/core/adapter";
import type { McpConnection } from "../transport/messages/mcp-connection.ts";

/** Milliseconds before a `subscriptions/listen` that has ended is sent again; they double each time. */
const firstPauseMs = 1_000;

/** Number of attempts in a row, if none lasts. */
const maxAttempts = 6;

/** Milliseconds after which an attempt counts as lasting: proxies may end any stream after some time. */
const lastingMs = 30_000;

/** Milliseconds that `add` waits for the acknowledgement. */
const acknowledgementMs = 2_000;

/** A call of `add` that waits for the server's acknowledgement. */
interface Waiting {
  acknowledged(): void;
  failed(error: unknown): void;
}

/**
 * Watches resources for changes over the current connection: one subscription for each up to 2025-11-25, a single
 * `subscriptions/listen` for all from 2026-07-28 on.
 */
export class ResourceWatch {
  readonly #connect: () => Promise<McpConnection>;
  readonly #onMissed: (uri: string) => void;
  readonly #uris = new Set<string>();
  readonly #waiting = new Map<string, Waiting>();
  #connection: McpConnection | undefined;
  /** Aborts the open `subscriptions/listen`. */
  #listening: AbortController | undefined;

  /**
   * @param connect Returns the connection, and opens it if there is none.
   * @param onMissed Called for a resource whose changes may have been missed.
   */
  constructor(connect: () => Promise<McpConnection>, onMissed: (uri: string) => void) {
    this.#connect = connect;
    this.#onMissed = onMissed;
  }

  /**
   * Adds a resource. Resolves when the server has acknowledged it, or after `acknowledgementMs`; if the server
   * rejects it, it is not watched.
   */
  async add(uri: string): Promise<void> {
    if (this.#uris.has(uri)) return;
    this.#uris.add(uri);
    try {
      const connection = await this.#getConnection();
      if (connection.era === "legacy") return await subscribe(connection, uri);
      const acknowledged = this.#acknowledgement(uri);
      this.#listen(connection);
      await acknowledged;
    } catch (error) {
      this.#uris.delete(uri);
      throw error;
    }
  }

  async remove(uri: string): Promise<void> {
    if (!this.#uris.delete(uri)) return;
    const connection = await this.#getConnection();
    if (connection.era === "modern") this.#listen(connection);
    else await subscribe(connection, uri, "resources/unsubscribe");
  }

  /** Handles `notifications/subscriptions/acknowledged` (2026-07-28, basic/utilities/subscriptions). */
  onAcknowledged({ notifications }: JsonObject): void {
    const uris = isObject(notifications) ? notifications["resourceSubscriptions"] : undefined;
    if (Array.isArray(uris)) for (const uri of uris) this.#waiting.get(String(uri))?.acknowledged();
  }

  /** Subscribes again: a new connection has no subscriptions. */
  async onConnected(connection: McpConnection): Promise<void> {
    this.#use(connection);
    this.#listening?.abort();
    if (this.#uris.size === 0) return;
    if (connection.era === "modern") this.#listen(connection);
    // A resource that no longer exists has no changes.
    else await Promise.allSettled(Array.from(this.#uris, (uri) => subscribe(connection, uri)));
    for (const uri of this.#uris) this.#onMissed(uri);
  }

  async #getConnection(): Promise<McpConnection> {
    const connection = await this.#connect();
    this.#use(connection);
    return connection;
  }

  #use(connection: McpConnection): void {
    if (this.#connection === connection) return;
    this.#connection = connection;
    void connection.closed.then(() => {
      if (this.#connection === connection) this.#listening?.abort();
    });
  }

  async #acknowledgement(uri: string): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((acknowledged, failed) => {
        this.#waiting.set(uri, { acknowledged, failed });
        timer = setTimeout(acknowledged, acknowledgementMs);
      });
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(uri);
    }
  }

  #listen(connection: McpConnection): void {
    this.#listening?.abort();
    const listening = new AbortController();
    this.#listening = listening;
    void this.#keepListening(connection, listening.signal).catch(() => {});
  }

  /** Keeps `subscriptions/listen` open. A new connection starts a new one. */
  async #keepListening(connection: McpConnection, signal: AbortSignal): Promise<void> {
    let attempts = 0;
    while (attempts < maxAttempts) {
      if (this.#uris.size === 0) return;
      const startedAt = performance.now();
      const params = { notifications: { resourceSubscriptions: [...this.#uris] } };
      await connection
        .request("subscriptions/listen", params, { signal })
        .catch((error: unknown) => {
          if (signal.aborted) return;
          for (const { failed } of this.#waiting.values()) failed(error);
        });
      if (performance.now() - startedAt >= lastingMs) attempts = 0;
      await pause(firstPauseMs * 2 ** attempts, { signal, unref: true });
      if (signal.aborted) return;
      attempts += 1;
      for (const uri of this.#uris) this.#onMissed(uri);
    }
  }
}

async function subscribe(
  connection: McpConnection,
  uri: string,
  method: string = "resources/subscribe",
): Promise<void> {
  const { signal } = new AbortController();
  await connection.request(method, { uri }, { signal });
}
