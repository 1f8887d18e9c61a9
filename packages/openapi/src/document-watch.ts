import { ToolError } from "@toolweave/core";

/** Between looks at local files, by default. */
const fileMs = 2_000;
/** Between requests for a document on the web, by default. */
const webMs = 300_000;
/** A file that is being written changes again within this time. */
const settleMs = 200;
/** However long a server says that a document stays as it is. */
const maxIntervalMs = 86_400_000;

/** What is watched. */
interface WatchedDocument {
  /** True when it can only be known by asking a server. */
  readonly isOnWeb: boolean;
  /** Milliseconds for which the server says that nothing changes. */
  readonly freshForMs: number;
  /** What is different on the disk; undefined when nothing is. */
  changes(): Promise<string | undefined>;
}

/**
 * Looks for changes of a document again and again, until it is closed: at local files, and at what stands on the web
 * by asking for it with ETag or date. No process stays alive for it.
 */
export class DocumentWatch {
  readonly #everyMs: number | undefined;
  readonly #watched: () => WatchedDocument | undefined;
  readonly #refresh: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  /** What a look found that was not loaded yet: it may be half written. */
  #unsettled: string | undefined;
  /** What was tried and could not be loaded: not tried again before it is different. */
  #refused: string | undefined;
  #closed = false;

  /**
   * @param everyMs milliseconds between looks. Default: 2,000 for files, 300,000 for the web.
   * @param watched what is loaded now; undefined while nothing could be.
   * @param refresh loads it again.
   */
  constructor(
    everyMs: number | undefined,
    watched: () => WatchedDocument | undefined,
    refresh: () => Promise<void>,
  ) {
    this.#everyMs = everyMs;
    this.#watched = watched;
    this.#refresh = refresh;
  }

  /** Begins to look. */
  start(): void {
    const watched = this.#watched();
    // What could not be loaded at all is looked for as if it came from the web.
    const isOnWeb = watched?.isOnWeb !== false;
    const everyMs = this.#everyMs ?? (isOnWeb ? webMs : fileMs);
    this.#wait(Math.max(everyMs, isOnWeb ? (watched?.freshForMs ?? 0) : 0));
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #wait(ms: number): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#look(), Math.min(ms, maxIntervalMs));
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const watched = this.#watched();
    if (watched?.isOnWeb !== false) {
      const waitMs = await this.#load();
      return waitMs === undefined ? this.start() : this.#wait(waitMs);
    }
    const found = await watched.changes();
    if (found === undefined || found === this.#refused) {
      this.#unsettled = undefined;
      return this.start();
    }
    if (found !== this.#unsettled) {
      this.#unsettled = found;
      return this.#wait(settleMs);
    }
    this.#unsettled = undefined;
    await this.#load();
    this.#refused = this.#watched() === watched ? found : undefined;
    this.start();
  }

  /** Milliseconds after which a server wants to be asked again, where it has failed and said so. */
  async #load(): Promise<number | undefined> {
    try {
      await this.#refresh();
      return undefined;
    } catch (error) {
      // It stands in the source's `problems`.
      if (!ToolError.is(error) || error.retryAfterMs === undefined) return undefined;
      return Math.max(error.retryAfterMs, this.#everyMs ?? webMs);
    }
  }
}
