import { isUtf8 } from "node:buffer";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { displayLine, type ArtifactRef, type ToolContext } from "@toolweave/core";
import { pause, sniffMediaType } from "@toolweave/core/adapter";
import type { BrowserContext, Download } from "playwright-core";
import { describeStored, maxStored } from "../web/stored-body.ts";

/** Milliseconds in which a download ends within the call that began it. */
const waitMs = 10_000;
/** Milliseconds between two looks at the size of what is on its way. */
const checkMs = 100;
const maxPending = 20;

/** The end of a download, for the model. */
export interface CollectedDownload {
  readonly text: string;
  readonly artifact?: ArtifactRef;
}

/** The downloads of a browser. Their files are in a folder of their own until they are stored as artifacts. */
export class Downloads {
  readonly #folder: string;
  /** With the media type that the server has named. */
  readonly #pending = new Map<Download, () => string | undefined>();
  readonly #tooLarge = new Set<Download>();
  #timer: NodeJS.Timeout | undefined;

  /** @param getMediaType the media type of the last answer from a URL. */
  constructor(
    context: BrowserContext,
    folder: string,
    getMediaType: (url: string) => string | undefined,
  ) {
    this.#folder = folder;
    context.on("download", (download) => {
      if (this.#pending.size >= maxPending) return void download.cancel().catch(() => {});
      this.#pending.set(download, () => getMediaType(download.url()));
      // The browser has no limit of its own.
      this.#timer ??= setInterval(() => void this.#limit(), checkMs).unref();
    });
  }

  /** Stores the downloads that have ended, and waits a while for others. */
  async collect(ctx: ToolContext): Promise<readonly CollectedDownload[]> {
    const collected = await Promise.all(
      Array.from(this.#pending.keys(), (download) => this.#collect(download, ctx)),
    );
    if (this.#pending.size === 0) this.close();
    return collected;
  }

  /** Stops looking at their sizes. */
  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #collect(download: Download, ctx: ToolContext): Promise<CollectedDownload> {
    const name = download.suggestedFilename();
    const displayed = displayLine(name);
    const end: { failure?: string | null } = {};
    const hasEnded = download.failure().then((failure) => (end.failure = failure));
    await pause(waitMs, { signal: ctx.signal, wake: hasEnded });
    ctx.signal.throwIfAborted();
    const { failure } = end;
    if (failure === undefined) {
      return { text: `The download ${displayed} is not complete. Call browser with action wait.` };
    }
    const named = this.#pending.get(download)?.();
    this.#pending.delete(download);
    try {
      if (this.#tooLarge.delete(download)) {
        return {
          text: `The download ${displayed} was stopped: its maximum is ${maxStored} bytes.`,
        };
      }
      if (failure !== null) return { text: `The download ${displayed} failed.` };
      const bytes = await readFile(await download.path());
      const mediaType =
        named ??
        sniffMediaType(bytes) ??
        (isUtf8(bytes) ? "text/plain" : "application/octet-stream");
      const artifact = await ctx.artifacts.write(bytes, { mediaType, name });
      return { text: `Downloaded ${displayed} ${describeStored(artifact)}`, artifact };
    } finally {
      await download.delete().catch(() => {});
    }
  }

  /** Ends all downloads if together they are too large. */
  async #limit(): Promise<void> {
    let size = 0;
    for (const name of await readdir(this.#folder).catch(() => [])) {
      size += await stat(join(this.#folder, name)).then(
        (file) => file.size,
        () => 0,
      );
    }
    if (size <= maxStored) return;
    for (const download of this.#pending.keys()) {
      this.#tooLarge.add(download);
      await download.cancel().catch(() => {});
    }
  }
}
