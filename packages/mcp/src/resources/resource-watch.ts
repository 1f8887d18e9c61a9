import { setTimeout as wait } from "node:timers/promises";
import type { JsonObject } from "@toolweave/core";
import type { McpConnection } from "../transport/messages/mcp-connection.ts";
import { isObject } from "../schema/schema-keywords.ts";

/** Milliseconds before a `subscriptions/listen` that has ended is made again; twice as long each time. */
const firstPauseMs = 1_000;

/** How often in a row, when none lasts. */
const mostTimes = 6;

/** Milliseconds after which one has lasted: what is between here and the server may end any stream in time. */
const lastingMs = 30_000;

/** Milliseconds that whoever adds a resource waits until the server says that it listens. */
const patienceMs = 2_000;

/** Somebody who has added a resource, and the server has not said yet that it listens. */
interface Waiting {
  heard(): void;
  failed(error: unknown): void;
}

/**
 * The resources that somebody wants to hear of, over whatever connection there is: each by itself up to 2025-11-25, all
 * of them in one `subscriptions/listen` from 2026-07-28 on.
 */
export class ResourceWatch {
  readonly #connect: () => Promise<McpConnection>;
  readonly #missed: (uri: string) => void;
  readonly #uris = new Set<string>();
  readonly #waiting = new Map<string, Waiting>();
  #connection: McpConnection | undefined;
  /** Ends the `subscriptions/listen` that is open. */
  #listening: AbortController | undefined;

  /**
   * @param connect gives the connection that there is, or makes one.
   * @param missed called for a resource whose changes may have been missed.
   */
  constructor(connect: () => Promise<McpConnection>, missed: (uri: string) => void) {
    this.#connect = connect;
    this.#missed = missed;
  }

  /** Resolves when the server has said that it listens, or says nothing for a while; what is refused is not watched. */
  async add(uri: string): Promise<void> {
    if (this.#uris.has(uri)) return;
    this.#uris.add(uri);
    try {
      const connection = await this.#reach();
      if (connection.era === "legacy") return await subscribe(connection, uri);
      const told = this.#acknowledgement(uri);
      this.#listen(connection);
      await told;
    } catch (error) {
      this.#uris.delete(uri);
      throw error;
    }
  }

  async remove(uri: string): Promise<void> {
    if (!this.#uris.delete(uri)) return;
    const connection = await this.#reach();
    if (connection.era === "modern") this.#listen(connection);
    else await subscribe(connection, uri, "resources/unsubscribe");
  }

  /** The server listens: `notifications/subscriptions/acknowledged` (2026-07-28, basic/utilities/subscriptions). */
  hear({ notifications }: JsonObject): void {
    const uris = isObject(notifications) ? notifications["resourceSubscriptions"] : undefined;
    if (Array.isArray(uris)) for (const uri of uris) this.#waiting.get(String(uri))?.heard();
  }

  /** Another connection knows nothing of them. */
  async connected(connection: McpConnection): Promise<void> {
    this.#use(connection);
    this.#listening?.abort();
    if (this.#uris.size === 0) return;
    if (connection.era === "modern") this.#listen(connection);
    // A resource that is not there any more has nothing to tell.
    else await Promise.allSettled(Array.from(this.#uris, (uri) => subscribe(connection, uri)));
    for (const uri of this.#uris) this.#missed(uri);
  }

  async #reach(): Promise<McpConnection> {
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
      await new Promise<void>((heard, failed) => {
        this.#waiting.set(uri, { heard, failed });
        timer = setTimeout(heard, patienceMs);
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
    void this.#keep(connection, listening.signal).catch(() => {});
  }

  /** It answers when it ends; with another connection there is another one. */
  async #keep(connection: McpConnection, signal: AbortSignal): Promise<void> {
    let times = 0;
    while (times < mostTimes) {
      if (this.#uris.size === 0) return;
      const began = performance.now();
      const params = { notifications: { resourceSubscriptions: [...this.#uris] } };
      await connection
        .request("subscriptions/listen", params, { signal })
        .catch((error: unknown) => {
          if (signal.aborted) return;
          for (const { failed } of this.#waiting.values()) failed(error);
        });
      if (performance.now() - began >= lastingMs) times = 0;
      await wait(firstPauseMs * 2 ** times, undefined, { signal, ref: false });
      times += 1;
      for (const uri of this.#uris) this.#missed(uri);
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
