import { randomUUID } from "node:crypto";
import type { ClockTimer } from "@toolweave/core";
import type { Timers } from "@toolweave/stores/shared";
import pg from "pg";
import { connectMs, deadlineMs, type Database } from "../database/database.ts";
import { toChannel } from "./notifier.ts";

/** The maximum wait for the notification that a new connection sends to itself, in milliseconds. */
const probeMs = 2_000;
/** The pause before the first attempt to connect again. It doubles up to the maximum. */
const minPauseMs = 100;
const maxPauseMs = 30_000;
/** The pause before a connection over which no notification arrives is tried again. */
const deafPauseMs = 60_000;
/** A connection that is silent is tried as often as this. */
const checkMs = 15_000;

/**
 * - `closed`: not started yet, or stopped.
 * - `connecting`: to the server, or again after the connection was lost.
 * - `listening`: a notification of this process has come back to it.
 * - `deaf`: no notification arrives, because there is a pooler in between.
 */
export type ListenerState = "closed" | "connecting" | "listening" | "deaf";

/** Receives notifications over a connection of its own. It connects again when it was lost. */
export class ChangeListener {
  readonly #db: Database;
  readonly #connectionString: string;
  readonly #timers: Timers;
  readonly #onTopics: (topics: readonly string[]) => void;
  readonly #onSwitch: () => void;
  #state: ListenerState = "closed";
  #started: Promise<void> | undefined;
  #isStopped = false;
  #client: pg.Client | undefined;
  #timer: ClockTimer | undefined;
  #pauseMs = minPauseMs;
  /** The notification that this process has sent to itself, and what to do when it arrives. */
  #probe: { readonly id: string; readonly arrived: () => void } | undefined;

  constructor(options: {
    readonly db: Database;
    readonly connectionString: string;
    readonly timers: Timers;
    readonly onTopics: (topics: readonly string[]) => void;
    /** Called when notifications begin to arrive, and when they do not any more. */
    readonly onSwitch: () => void;
  }) {
    this.#db = options.db;
    this.#connectionString = options.connectionString;
    this.#timers = options.timers;
    this.#onTopics = options.onTopics;
    this.#onSwitch = options.onSwitch;
  }

  get state(): ListenerState {
    return this.#state;
  }

  /** Connects, unless it does or has. Resolves when it is known whether notifications arrive. Never rejects. */
  async start(): Promise<void> {
    if (!this.#isStopped) await (this.#started ??= this.#connect());
  }

  /** Idempotent. */
  stop(): void {
    this.#isStopped = true;
    this.#end("closed");
  }

  async #connect(): Promise<void> {
    this.#setState("connecting");
    const client = new pg.Client({
      connectionString: this.#connectionString,
      connectionTimeoutMillis: connectMs,
      query_timeout: deadlineMs,
      keepAlive: true,
    });
    this.#client = client;
    client.on("error", () => this.#lose(client));
    client.on("end", () => this.#lose(client));
    client.on("notification", ({ payload = "" }) => {
      if (this.#client === client) this.#receive(payload);
    });
    try {
      await client.connect();
      await client.query(`LISTEN "${toChannel(this.#db.schema)}"`);
      const isHeard = await this.#sendProbe(client);
      if (this.#client !== client) return;
      // From now on the process may end: it only listens. The types of pg do not have it.
      (client as pg.Client & { unref(): void }).unref();
      if (!isHeard) {
        this.#end("deaf");
        this.#retryAfter(deafPauseMs);
        return;
      }
      this.#pauseMs = minPauseMs;
      this.#setState("listening");
      this.#checkLater(client);
    } catch {
      this.#lose(client);
    }
  }

  /** Whether a notification that another connection sends arrives at this one. */
  async #sendProbe(client: pg.Client): Promise<boolean> {
    const id = `probe ${randomUUID()}`;
    let timer: ClockTimer | undefined;
    const isHeard = new Promise<boolean>((resolve) => {
      this.#probe = { id, arrived: () => resolve(true) };
      timer = this.#timers.setTimeout(() => resolve(false), probeMs);
      client.once("end", () => resolve(false));
    });
    try {
      await this.#db.run("SELECT pg_notify($1, $2)", [toChannel(this.#db.schema), id]);
      return await isHeard;
    } finally {
      if (timer !== undefined) this.#timers.clearTimeout(timer);
      this.#probe = undefined;
    }
  }

  #receive(payload: string): void {
    if (payload.startsWith("probe ")) {
      if (payload === this.#probe?.id) this.#probe.arrived();
      return;
    }
    this.#onTopics(payload.split(" "));
  }

  /** A connection whose peer has disappeared reports no error by itself. */
  #checkLater(client: pg.Client): void {
    this.#timer = this.#timers.setTimeout(() => {
      client.query("SELECT 1").then(
        () => this.#client === client && this.#checkLater(client),
        () => this.#lose(client),
      );
    }, checkMs);
    this.#timer.unref?.();
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#end("connecting");
    this.#retryAfter(this.#pauseMs * (0.5 + Math.random() / 2));
    this.#pauseMs = Math.min(this.#pauseMs * 2, maxPauseMs);
  }

  #retryAfter(ms: number): void {
    this.#timer = this.#timers.setTimeout(() => void this.#connect(), ms);
    this.#timer.unref?.();
  }

  #end(state: ListenerState): void {
    const client = this.#client;
    this.#client = undefined;
    if (this.#timer !== undefined) this.#timers.clearTimeout(this.#timer);
    this.#timer = undefined;
    // Of a connection that has failed this fails, too.
    client?.end().catch(() => {});
    this.#setState(state);
  }

  #setState(state: ListenerState): void {
    const wasListening = this.#state === "listening";
    this.#state = state;
    if (wasListening !== (state === "listening")) this.#onSwitch();
  }
}
