import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  write,
  type BigIntStats,
} from "node:fs";
import { promisify } from "node:util";
import { Entry } from "../jail/entry.ts";
import { JailError } from "../jail/jail-error.ts";
import type { WritePlace } from "../jail/path-info.ts";

const writeAsync = promisify(write);
const fsyncAsync = promisify(fsync);

/** The name of a temporary file: with the process that writes it. */
const temporaryName = /^\.tw-(\d+)-[0-9a-f]{16}$/;

/** Folders in which files that other processes have left were looked for. */
const cleanedFolders = new Set<string>();
const maxCleanedFolders = 10_000;

/** Options of a replacement. */
export interface ReplaceOptions {
  /** The permission bits of a new file, without those of the umask. Default: 0o666. */
  readonly mode?: number;
  /** Checks the file that is there, directly before it is replaced. Throws to keep it. */
  readonly check?: (stat: BigIntStats | undefined) => void;
}

/**
 * Writes a file as a whole: it has its old content or the new one at every moment, also after a crash. Mode and owner of
 * a file that is there are kept. Everything happens in the folder that was opened, whatever its name is meanwhile.
 *
 * @returns the state of the new file.
 * @throws JailError when it cannot be written; the errors of the system.
 */
export async function replaceFile(
  place: WritePlace,
  bytes: Uint8Array,
  options: ReplaceOptions = {},
): Promise<BigIntStats> {
  return withFolders(place, (folder) => writeInto(folder, place, bytes, options));
}

/**
 * Makes the folders that are missing around a place, and calls `work` with the path under which the members of the
 * innermost one are opened.
 *
 * @throws JailError (by rejecting) when one cannot be made.
 */
export async function withFolders<Result>(
  { folderPath, missingFolders }: WritePlace,
  work: (folder: string) => Result | Promise<Result>,
): Promise<Result> {
  const made: Entry[] = [];
  try {
    let folder = folderPath;
    for (const name of missingFolders) {
      const entry = makeFolder(folder, name);
      made.push(entry);
      folder = entry.path;
    }
    return await work(folder);
  } finally {
    for (const entry of made) entry.close();
  }
}

async function writeInto(
  folder: string,
  { name, stat, confirm }: WritePlace,
  bytes: Uint8Array,
  { mode = 0o666, check }: ReplaceOptions,
): Promise<BigIntStats> {
  removeLeftovers(folder);
  const temporary = `${folder}/.tw-${process.pid}-${randomBytes(8).toString("hex")}`;
  const fd = create(temporary, stat === undefined ? mode : 0o600);
  try {
    let written = 0;
    while (written < bytes.length) {
      const { bytesWritten } = await writeAsync(fd, bytes, written, bytes.length - written);
      written += bytesWritten;
    }
    if (stat !== undefined) keepOwner(fd, stat);
    await fsyncAsync(fd);
    // From here on to the new name nothing else of this process happens.
    check?.(currentStat(folder, name));
    confirm(folder);
    renameSync(temporary, `${folder}/${name}`);
    const after = fstatSync(fd, { bigint: true });
    await syncFolder(folder);
    return after;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw JailError.from(error);
  } finally {
    closeSync(fd);
  }
}

function create(path: string, mode: number): number {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  try {
    return openSync(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, mode);
  } catch (error) {
    throw JailError.from(error);
  }
}

function keepOwner(fd: number, { uid, gid, mode }: BigIntStats): void {
  const own = fstatSync(fd, { bigint: true });
  if (own.uid !== uid || own.gid !== gid) {
    try {
      fchownSync(fd, Number(uid), Number(gid));
    } catch {
      // Only the superuser may give files away; the file then belongs to the process.
    }
  }
  fchmodSync(fd, Number(mode) & 0o7777);
}

/** Removes temporary files of processes that have ended, when a folder is first written to. */
function removeLeftovers(folder: string): void {
  const { dev, ino, birthtimeNs } = statSync(folder, { bigint: true });
  const key = `${dev}:${ino}:${birthtimeNs}`;
  if (cleanedFolders.has(key)) return;
  if (cleanedFolders.size === maxCleanedFolders) cleanedFolders.clear();
  cleanedFolders.add(key);
  for (const name of readdirSync(folder)) {
    const pid = Number(temporaryName.exec(name)?.[1]);
    if (Number.isNaN(pid) || isRunning(pid)) continue;
    if (currentStat(folder, name)?.isFile() === true) rmSync(`${folder}/${name}`, { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The state of the file now, without following a link. */
function currentStat(folder: string, name: string): BigIntStats | undefined {
  let entry: Entry;
  try {
    entry = Entry.open(`${folder}/${name}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const { stat } = entry;
  entry.close();
  return stat;
}

/**
 * Makes a folder, unless it is there, and opens it. Its owner closes it.
 *
 * @throws JailError when it cannot be made, or something else has its name.
 */
export function makeFolder(folder: string, name: string): Entry {
  try {
    mkdirSync(`${folder}/${name}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw JailError.from(error);
  }
  const entry = Entry.open(`${folder}/${name}`);
  if (entry.kind === "directory") return entry;
  entry.close();
  throw new JailError("changed");
}

async function syncFolder(folder: string): Promise<void> {
  let fd: number;
  try {
    fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch {
    // Folders cannot be opened on all systems.
    return;
  }
  try {
    await fsyncAsync(fd);
  } finally {
    closeSync(fd);
  }
}
