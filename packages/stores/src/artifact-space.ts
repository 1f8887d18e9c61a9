import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { OwnFolder } from "./own-folder.ts";
import { artifactsFull, isArtifactKey } from "./described-artifact.ts";

/** How long what other processes have written and removed may go unnoticed, in milliseconds. */
const longestUnseenMs = 10_000;

/** Files that are looked at side by side. */
const lookedAtOnce = 32;

/** A file that nobody has written into for so long is not being written any more. */
const abandonedMs = 600_000;

/** A folder in which there is no room is looked at again after as many milliseconds. */
const fullMs = 1_000;

/** How the file of `key` is called while the writer `by` is at it. */
export function unfinishedName(key: string, by: string): string {
  return `.${key}.${by}.tmp`;
}

const unfinished = /^\.art_[0-9a-f]{32}\.([0-9a-f-]{36})\.tmp$/;

/** What files there are, and what it takes to tell whether one has expired. */
export interface ArtifactFiles {
  readonly folder: OwnFolder;
  /** Of this writer nothing unfinished is counted: it has reserved it. */
  readonly writer: string;
  readonly maxBytes: number;
  now(): number;
  /** Whether the artifact in a file that looks expired is. */
  hasExpired(key: string): Promise<boolean>;
}

/**
 * The quota of a folder. What this process writes counts at once; what others write is seen with the
 * next look at the folder, which also removes what has expired and what a crash has cut off.
 */
export class ArtifactSpace {
  readonly #files: ArtifactFiles;
  /** The bytes of each file, as far as they are known. */
  #sizes = new Map<string, number>();
  #used = 0;
  /** What this process is writing. */
  #reserved = 0;
  #seenAt = -Infinity;
  #look: Promise<void> | undefined;
  /** What this process has written (or removed: 0) since the look began. */
  #meanwhile = new Map<string, number>();

  constructor(files: ArtifactFiles) {
    this.#files = files;
  }

  /** @throws ToolError `limit_exceeded` when there is no room. */
  async reserve(bytes: number): Promise<void> {
    if (this.#unseenMs() >= longestUnseenMs) await this.#lookAgain();
    if (!this.#hasRoom(bytes) && this.#unseenMs() >= fullMs) await this.#lookAgain();
    if (!this.#hasRoom(bytes)) throw artifactsFull(this.#files.maxBytes);
    this.#reserved += bytes;
  }

  /** Gives back what was reserved, whether or not it was written. */
  release(bytes: number): void {
    this.#reserved -= bytes;
  }

  /** A file of this size is there now; 0: it is gone. */
  changed(name: string, bytes: number): void {
    if (this.#look !== undefined) this.#meanwhile.set(name, bytes);
    this.#set(name, bytes);
  }

  #hasRoom(bytes: number): boolean {
    return this.#used + this.#reserved + bytes <= this.#files.maxBytes;
  }

  /** By a clock that may be put back. */
  #unseenMs(): number {
    return Math.abs(this.#files.now() - this.#seenAt);
  }

  #set(name: string, bytes: number): void {
    this.#used += bytes - (this.#sizes.get(name) ?? 0);
    if (bytes === 0) this.#sizes.delete(name);
    else this.#sizes.set(name, bytes);
  }

  #lookAgain(): Promise<void> {
    this.#look ??= this.#lookOver().finally(() => (this.#look = undefined));
    return this.#look;
  }

  async #lookOver(): Promise<void> {
    this.#meanwhile = new Map();
    const seenAt = this.#files.now();
    await this.#files.folder.assertThere();
    const names = await readdir(this.#files.folder.path);
    const found: (readonly [string, number])[] = [];
    for (let from = 0; from < names.length; from += lookedAtOnce) {
      const some = names.slice(from, from + lookedAtOnce);
      found.push(...(await Promise.all(some.map((name) => this.#lookAt(name)))));
    }
    this.#sizes = new Map();
    this.#used = 0;
    for (const [name, bytes] of [...found, ...this.#meanwhile]) this.#set(name, bytes);
    this.#seenAt = seenAt;
  }

  /** The bytes of a file that counts; removes one that should be gone. */
  async #lookAt(name: string): Promise<readonly [string, number]> {
    const path = join(this.#files.folder.path, name);
    const by = unfinished.exec(name)?.[1];
    if (by === this.#files.writer || (by === undefined && !isArtifactKey(name))) return [name, 0];
    const stat = await lstat(path).catch(() => undefined);
    if (stat === undefined) return [name, 0];
    const now = this.#files.now();
    // The time of a file is when it expires, also just before it is finished: then it does not tell
    // when somebody was at it. What is written in the file is what counts.
    const isGone =
      by === undefined
        ? stat.mtimeMs <= now && (await this.#files.hasExpired(name))
        : now - stat.ctimeMs > abandonedMs;
    if (!isGone) return [name, stat.size];
    // What cannot be removed, such as a folder that somebody has made, is no reason to take nothing.
    const isRemoved = await rm(path, { force: true }).then(
      () => true,
      () => false,
    );
    return [name, isRemoved ? 0 : stat.size];
  }
}
