import { lstat, readdir, rm, open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { readFlags, type OwnFolder } from "./private-file.ts";
import {
  artifactsFull,
  isArtifactKey,
  ownerFull,
  parseDescription,
  maxDescription,
} from "./described-artifact.ts";
import type { ArtifactQuotas } from "./store-limits.ts";
import type { StoredArtifact } from "@toolweave/core/stores";

/** How long what other processes have written and removed may go unnoticed, in milliseconds. */
const maxUnseenMs = 10_000;

/** The number of files that are examined concurrently. */
const lookedAtOnce = 32;

/** An unfinished file without a write for this long is abandoned. */
const abandonedMs = 600_000;

/** A full folder is examined again after as many milliseconds. */
const fullMs = 1_000;

/** How the file of `key` is called while the writer `by` is at it. */
export function unfinishedName(key: string, by: string): string {
  return `.${key}.${by}.tmp`;
}

const unfinished = /^\.art_[0-9a-f]{32}\.([0-9a-f-]{36})\.tmp$/;

/** The list of files, and how to find out whether one has expired. */
export interface ArtifactFiles extends ArtifactQuotas {
  readonly folder: OwnFolder;
  /** Unfinished files of this writer are not counted: it has reserved their bytes. */
  readonly writer: string;
  now(): number;
  /** Whether the artifact in a file that looks expired is. */
  hasExpired(key: string): Promise<boolean>;
  /** The owner whose quota the artifact in a file counts against; empty: it cannot be read. */
  readQuotaOwner(key: string): Promise<string>;
}

interface SeenFile {
  readonly bytes: number;
  readonly owner: string;
}

/**
 * The quota of a folder. Writes of this process count at once; writes of others are counted at the next scan of the
 * folder, which also removes expired and incomplete files.
 */
export class ArtifactSpace {
  readonly #files: ArtifactFiles;
  /** The bytes of each file, and whose it is, as far as they are known. */
  #seen = new Map<string, SeenFile>();
  #used = 0;
  #usedBy = new Map<string, number>();
  /** The bytes that this process is writing. */
  #reserved = 0;
  readonly #reservedBy = new Map<string, number>();
  #seenAt = -Infinity;
  #look: Promise<void> | undefined;
  /** The sizes that this process has written (or removed: 0) since the listing began. */
  #meanwhile = new Map<string, SeenFile>();

  constructor(files: ArtifactFiles) {
    this.#files = files;
  }

  /** @throws ToolError `limit_exceeded` when there is no room, or the owner has as much as it may. */
  async reserve(bytes: number, owner: string): Promise<void> {
    const hasRoom = (): boolean => this.#hasRoom(bytes) && this.#hasRoomFor(owner, bytes);
    if (this.#unseenMs() >= maxUnseenMs) await this.#lookAgain();
    if (!hasRoom() && this.#unseenMs() >= fullMs) await this.#lookAgain();
    if (!this.#hasRoom(bytes)) throw artifactsFull(this.#files.maxBytes);
    if (!this.#hasRoomFor(owner, bytes)) {
      throw ownerFull(this.#files.maxBytesPerOwner, "maxBytesPerOwner");
    }
    this.#reserved += bytes;
    add(this.#reservedBy, owner, bytes);
  }

  /** Gives back what was reserved, whether or not it was written. */
  release(bytes: number, owner: string): void {
    this.#reserved -= bytes;
    add(this.#reservedBy, owner, -bytes);
  }

  /** Records that a file has this size; 0: it was removed. */
  changed(name: string, bytes: number, owner = ""): void {
    if (this.#look !== undefined) this.#meanwhile.set(name, { bytes, owner });
    this.#set(name, { bytes, owner });
  }

  #hasRoom(bytes: number): boolean {
    return this.#used + this.#reserved + bytes <= this.#files.maxBytes;
  }

  #hasRoomFor(owner: string, bytes: number): boolean {
    const used = (this.#usedBy.get(owner) ?? 0) + (this.#reservedBy.get(owner) ?? 0);
    return used + bytes <= this.#files.maxBytesPerOwner;
  }

  /** By a clock that may be put back. */
  #unseenMs(): number {
    return Math.abs(this.#files.now() - this.#seenAt);
  }

  #set(name: string, file: SeenFile): void {
    const before = this.#seen.get(name);
    if (before !== undefined) {
      this.#used -= before.bytes;
      add(this.#usedBy, before.owner, -before.bytes);
      this.#seen.delete(name);
    }
    if (file.bytes === 0) return;
    this.#seen.set(name, file);
    this.#used += file.bytes;
    add(this.#usedBy, file.owner, file.bytes);
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
    const found: (readonly [string, SeenFile])[] = [];
    for (let from = 0; from < names.length; from += lookedAtOnce) {
      const some = names.slice(from, from + lookedAtOnce);
      found.push(...(await Promise.all(some.map((name) => this.#lookAt(name)))));
    }
    this.#seen = new Map();
    this.#used = 0;
    this.#usedBy = new Map();
    for (const [name, file] of [...found, ...this.#meanwhile]) this.#set(name, file);
    this.#seenAt = seenAt;
  }

  /** Returns a file that counts; removes an expired one. */
  async #lookAt(name: string): Promise<readonly [string, SeenFile]> {
    const path = join(this.#files.folder.path, name);
    const by = unfinished.exec(name)?.[1];
    const gone = [name, { bytes: 0, owner: "" }] as const;
    if (by === this.#files.writer || (by === undefined && !isArtifactKey(name))) return gone;
    const stat = await lstat(path).catch(() => undefined);
    if (stat === undefined) return gone;
    const now = this.#files.now();
    // The modification time of a file is its expiry, also just before it is finished: then it is not the time of the
    // last write. The expiry within the file is authoritative.
    const isGone =
      by === undefined
        ? stat.mtimeMs <= now && (await this.#files.hasExpired(name))
        : now - stat.ctimeMs > abandonedMs;
    if (isGone) {
      // An entry that cannot be removed, such as a folder that another program has made, is no reason to reject all
      // writes.
      const isRemoved = await rm(path, { force: true }).then(
        () => true,
        () => false,
      );
      return isRemoved ? gone : [name, { bytes: stat.size, owner: "" }];
    }
    // The content of a file never changes: it is read once.
    const known = this.#seen.get(name)?.owner;
    const owner = known ?? (by === undefined ? await this.#files.readQuotaOwner(name) : "");
    return [name, { bytes: stat.size, owner }];
  }
}

function add(counts: Map<string, number>, owner: string, bytes: number): void {
  const count = (counts.get(owner) ?? 0) + bytes;
  if (count > 0) counts.set(owner, count);
  else counts.delete(owner);
}

/**
 * The first bytes of such a file. The length of the description follows in 4 bytes, then the description, then the
 * data.
 */
const magic = Buffer.from("TWA1");
const preambleBytes = magic.length + 4;

/** Enough for nearly every description. */
const firstReadBytes = 4096;

/** The bytes before those of an artifact: one file holds both, so that they cannot disagree. */
export function artifactHead(json: string): Uint8Array {
  const description = Buffer.from(json);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(description.length);
  return Buffer.concat([magic, length, description]);
}

/** An artifact's open file: what it is, and where its bytes begin. */
export interface OpenArtifact {
  readonly handle: FileHandle;
  readonly artifact: StoredArtifact;
  readonly dataOffset: number;
}

/**
 * Calls `work` with the file of an artifact. `undefined`: there is no such file.
 *
 * @throws the system's error; `damaged()` when the file is not that artifact, or incomplete.
 */
export async function withArtifact<T>(
  path: string,
  key: string,
  damaged: () => Error,
  work: (file: OpenArtifact) => T | Promise<T>,
): Promise<T | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, readFlags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw code === "ELOOP" ? damaged() : error;
  }
  try {
    const file = await openArtifact(handle, key);
    if (file === undefined) throw damaged();
    return await work(file);
  } finally {
    await handle.close();
  }
}

/** Up to `length` bytes from `position` on; fewer where the file ends. */
export async function readBytes(
  handle: FileHandle,
  position: number,
  length: number,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) return bytes.subarray(0, filled);
    filled += bytesRead;
  }
  return bytes;
}

async function openArtifact(handle: FileHandle, key: string): Promise<OpenArtifact | undefined> {
  const stat = await handle.stat();
  if (!stat.isFile()) return undefined;
  let head = Buffer.from(await readBytes(handle, 0, Math.min(firstReadBytes, stat.size)));
  if (head.length < preambleBytes || !head.subarray(0, magic.length).equals(magic)) {
    return undefined;
  }
  const length = head.readUInt32LE(magic.length);
  const dataOffset = preambleBytes + length;
  if (length > maxDescription || dataOffset > stat.size) return undefined;
  if (head.length < dataOffset) head = Buffer.from(await readBytes(handle, 0, dataOffset));
  const artifact = parseDescription(key, head.toString("utf8", preambleBytes, dataOffset));
  if (artifact === undefined || dataOffset + artifact.size !== stat.size) return undefined;
  return { handle, artifact, dataOffset };
}
