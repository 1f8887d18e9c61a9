import { ToolError } from "@toolweave/core";

/** Default interval between checks of local files. */
const fileMs = 2_000;
/** Default interval between requests for a document on the web. */
const webMs = 300_000;
/** Time within which a file that is being written changes again. */
const settleMs = 200;
/** Maximum interval, even if a server declares a document fresh for longer. */
const maxIntervalMs = 86_400_000;

/** The document that is watched. */
interface WatchedDocument {
  /** True if a change can only be detected by a request to a server. */
  readonly isOnWeb: boolean;
  /** Milliseconds for which the server declares the document fresh. */
  readonly freshForMs: number;
  /** Identifies the changes on disk; undefined if there are none. */
  changes(): Promise<string | undefined>;
}

/**
 * Checks a document for changes until it is closed: local files on disk, and documents on the web by requests with an
 * ETag or a date. The timer does not keep the process alive.
 */
export class DocumentWatch {
  readonly #everyMs: number | undefined;
  readonly #getDocument: () => WatchedDocument | undefined;
  readonly #refresh: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  /** A change that was detected and not loaded yet, because the file may be half written. */
  #unsettled: string | undefined;
  /** A change that could not be loaded: it is not tried again until the files change again. */
  #failedChange: string | undefined;
  #closed = false;

  /**
   * @param everyMs milliseconds between checks. Default: 2,000 for files, 300,000 for the web.
   * @param watched returns the loaded document; undefined if none could be loaded.
   * @param refresh loads it again.
   */
  constructor(
    everyMs: number | undefined,
    watched: () => WatchedDocument | undefined,
    refresh: () => Promise<void>,
  ) {
    this.#everyMs = everyMs;
    this.#getDocument = watched;
    this.#refresh = refresh;
  }

  /** Starts checking. */
  start(): void {
    const watched = this.#getDocument();
    // A document that could not be loaded at all is treated as if it came from the web.
    const isOnWeb = watched?.isOnWeb !== false;
    const everyMs = this.#everyMs ?? (isOnWeb ? webMs : fileMs);
    this.#schedule(Math.max(everyMs, isOnWeb ? (watched?.freshForMs ?? 0) : 0));
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #schedule(ms: number): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#check(), Math.min(ms, maxIntervalMs));
    this.#timer.unref();
  }

  async #check(): Promise<void> {
    const watched = this.#getDocument();
    if (watched?.isOnWeb !== false) {
      const waitMs = await this.#load();
      return waitMs === undefined ? this.start() : this.#schedule(waitMs);
    }
    const found = await watched.changes();
    if (found === undefined || found === this.#failedChange) {
      this.#unsettled = undefined;
      return this.start();
    }
    if (found !== this.#unsettled) {
      this.#unsettled = found;
      return this.#schedule(settleMs);
    }
    this.#unsettled = undefined;
    await this.#load();
    this.#failedChange = this.#getDocument() === watched ? found : undefined;
    this.start();
  }

  /** Returns the milliseconds after which to retry, if a server has failed and sent that time. */
  async #load(): Promise<number | undefined> {
    try {
      await this.#refresh();
      return undefined;
    } catch (error) {
      // The error is reported in the source's `problems`.
      if (!ToolError.is(error) || error.retryAfterMs === undefined) return undefined;
      return Math.max(error.retryAfterMs, this.#everyMs ?? webMs);
    }
  }
}
