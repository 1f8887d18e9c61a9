import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  existsSync,
  mkdirSync,
  type BigIntStats,
  type Stats,
} from "node:fs";
import { unavailable, storeError } from "./store-error.ts";
import { displayJson, type JsonValue } from "@toolweave/core";
import { stringifyExact } from "@toolweave/core/adapter";
import { dirname, join } from "node:path";
import { lstat, open } from "node:fs/promises";

const isWindows = process.platform === "win32";

/** Windows knows neither this nor `O_NONBLOCK`. */
const noFollow = constants.O_NOFOLLOW ?? 0;

/** The flags of a file that is read: no link is followed, and a pipe is not waited for. */
export const readFlags: number = constants.O_RDONLY | noFollow | (constants.O_NONBLOCK ?? 0);

/** The flags of a file that lines are appended to, made where there is none. Opening a pipe for both does not wait. */
export const appendFlags: number =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | noFollow;

/** The owner and the mode of a file, as far as the system reports them. */
type Owned = Pick<Stats | BigIntStats, "uid" | "mode">;

/**
 * The reason why other users could read or change an entry, and its correction; undefined: only this user can. Unknown
 * on Windows.
 *
 * @param mode the required mode: 0o600 for a file, 0o700 for a folder.
 */
export function exposure({ uid, mode }: Owned, wanted: number): string | undefined {
  if (isWindows) return undefined;
  if (BigInt(uid) !== BigInt(process.geteuid?.() ?? 0)) {
    return "belongs to another user: name another path, or run this program as that user";
  }
  if ((BigInt(mode) & 0o077n) === 0n) return undefined;
  return `is open to other users: run \`chmod ${wanted.toString(8)}\` on it`;
}

/**
 * Refuses a file that is a link, or that others can read or change. One that is missing is fine.
 *
 * @throws ToolError `store_unavailable`
 */
export function assertPrivateFile(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return;
  const fault = stat.isFile() ? exposure(stat, 0o600) : kindFault(stat);
  if (fault !== undefined) throw unavailable(path, fault, { retryable: false });
}

function kindFault(stat: Stats): string {
  if (stat.isSymbolicLink()) return "is a link: name the file itself";
  return stat.isDirectory() ? "is a folder: name a file" : "is no file: name another path";
}

/**
 * Opens a file that lines are appended to, with mode 0600 where it is made. A pipe that is full would hold up the
 * process, and is refused.
 *
 * @throws ToolError `store_unavailable` for what is no file; the system's error for a link (`ELOOP`) and the rest.
 */
export function openAppending(path: string): number {
  const file = openSync(path, appendFlags, 0o600);
  const stat = fstatSync(file);
  if (stat.isFile() || stat.isCharacterDevice()) return file;
  closeSync(file);
  throw unavailable(path, "is no file: name another path", { retryable: false });
}

/**
 * A value as one line of JSON, also for readers to which U+2028 ends a line, and for terminals: what
 * is not seen, or moves what is seen, is an escape. JSON itself leaves no line break in a text. Integers have the digits
 * that `parseExact` has read.
 */
export function jsonLine(value: unknown): string {
  return `${displayJson(stringifyExact(value as JsonValue))}\n`;
}

/** Makes the folder of `path`, and those above it, for this user alone. One that exists stays as it is. */
export function makePrivateFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = dirname(path); !existsSync(folder); folder = dirname(folder)) {
    missing.push(folder);
    if (folder === dirname(folder)) break;
  }
  // One by one: Node's `recursive` never ends if no folder can be made, as under /proc.
  for (const folder of missing.toReversed()) {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

/**
 * A folder that is this user's alone, and stays the one it was: a link that takes its place is
 * noticed before anything is written through it.
 */
export class OwnFolder {
  readonly path: string;
  readonly #identity: string;

  /** @throws ToolError `store_unavailable` when it cannot be made, and when others can get at it. */
  constructor(path: string) {
    this.path = path;
    try {
      makePrivateFolder(join(path, "file"));
      const stat = lstatSync(path, { bigint: true });
      this.#assertPrivate(stat);
      this.#identity = toIdentity(stat);
    } catch (error) {
      throw storeError(path, error);
    }
  }

  /** @throws ToolError `store_unavailable` when it was removed or replaced. */
  async assertThere(): Promise<void> {
    const stat = await lstat(this.path, { bigint: true }).catch(() => undefined);
    if (stat !== undefined && stat.isDirectory() && toIdentity(stat) === this.#identity) return;
    throw unavailable(
      this.path,
      "was deleted or replaced while it was in use: bring the folder back, or restart to continue with a new one",
    );
  }

  /** Flushes the folder: files made and renamed in it survive a power failure. */
  async sync(): Promise<void> {
    // Windows opens no folders.
    if (isWindows) return;
    const folder = await open(this.path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  #assertPrivate(stat: BigIntStats): void {
    const fault = stat.isSymbolicLink()
      ? "is a link: name the folder itself"
      : stat.isDirectory()
        ? exposure(stat, 0o700)
        : "is no folder: name another path";
    if (fault !== undefined) throw unavailable(this.path, fault, { retryable: false });
  }
}

function toIdentity(stat: BigIntStats): string {
  return `${stat.dev}:${stat.ino}`;
}
