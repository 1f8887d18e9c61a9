import fs from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

/** A file that was opened for writing. */
interface OpenedFile {
  readonly path: string;
  /** It was created, and not opened if something was there already. */
  readonly isExclusive: boolean;
}

/** The files of a folder that are opened for writing from now on. */
export interface RecordedWrites {
  /** Returns the files since the last call, in order. */
  take(): readonly OpenedFile[];
  stop(): void;
}

/** Records which files this process opens for writing in a folder, and how. One folder at a time. */
export function recordWrites(folder: string): RecordedWrites {
  const opened: OpenedFile[] = [];
  const record = (path: unknown, flags: unknown): void => {
    if (typeof path !== "string" || !path.startsWith(folder) || !isWrite(flags)) return;
    const isExclusive =
      typeof flags === "number" ? (flags & fs.constants.O_EXCL) !== 0 : String(flags).includes("x");
    opened.push({ path, isExclusive });
  };
  const { open, writeFile } = promises;
  const { openSync, writeFileSync } = fs;
  promises.open = (path, flags, mode) => {
    record(path, flags);
    return open(path, flags, mode);
  };
  promises.writeFile = (path, data, options) => {
    record(path, flagIn(options));
    return writeFile(path, data, options);
  };
  fs.openSync = (path, flags, mode) => {
    record(path, flags);
    return openSync(path, flags, mode);
  };
  fs.writeFileSync = (path, data, options) => {
    record(path, flagIn(options));
    writeFileSync(path, data, options);
  };
  syncBuiltinESMExports();
  return {
    take: () => opened.splice(0),
    stop: () => {
      Object.assign(promises, { open, writeFile });
      Object.assign(fs, { openSync, writeFileSync });
      syncBuiltinESMExports();
    },
  };
}

function isWrite(flags: unknown): boolean {
  if (typeof flags === "number") return (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) > 0;
  return flags !== undefined && flags !== "r" && flags !== "rs";
}

function flagIn(options: unknown): unknown {
  const isObject = typeof options === "object" && options !== null;
  return (isObject ? (options as { readonly flag?: unknown }).flag : undefined) ?? "w";
}

/** The number of characters in which two names differ, without a common beginning and end. */
export function differingCharacters(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let start = 0;
  while (start < most && one[start] === other[start]) start++;
  let end = 0;
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return Math.max(one.length, other.length) - start - end;
}
