import { ToolError } from "@toolweave/core";

/** SQLite's primary result codes. @see https://www.sqlite.org/rescode.html */
const busy = 5;
const locked = 6;

/** The message for a database that was truncated or overwritten. */
export const damagedText = "is damaged: move it away with its -wal and -shm, or restore a backup";

/** By SQLite's primary result code: what is wrong, what to do, and whether waiting can help. */
const sqliteFaults: Readonly<Record<number, readonly [string, "passes" | "stays"]>> = {
  [busy]: ["is locked by another process: end what holds it, then call again", "passes"],
  [locked]: ["is locked by another process: end what holds it, then call again", "passes"],
  8: [
    "cannot be written: give this process write access to the file and its folder, then call again",
    "passes",
  ],
  11: [damagedText, "stays"],
  13: ["has no more space on its disk: free some, then call again", "passes"],
  14: [
    "cannot be opened: this process needs write access to the file and its folder, and both must exist",
    "passes",
  ],
  26: ["is not a store: name another path, or restore a backup", "stays"],
};

const systemFaults: Readonly<Record<string, string>> = {
  ENOENT: "has no folder: bring it back, then call again",
  ENOTDIR: "lies under something that is no folder: name another path",
  EISDIR: "is a folder: name a file",
  ELOOP: "is a link: name the file itself",
  ENXIO: "is no file: name another path",
  EACCES: "cannot be reached: give this process access to the file and its folder",
  EPERM: "cannot be reached: give this process access to the file and its folder",
  EROFS: "lies on a disk that cannot be written: name another path",
  ENOSPC: "has no more space on its disk: free some, then call again",
  EDQUOT: "has no more space in its quota: free some, then call again",
  EMFILE: "cannot be opened: this process has too many files open",
  ENFILE: "cannot be opened: the system has too many files open",
};

interface CodedError {
  readonly code?: unknown;
  readonly errcode?: unknown;
}

function codes(error: unknown): CodedError {
  return typeof error === "object" && error !== null ? error : {};
}

function sqliteCode(error: unknown): number | undefined {
  const { code, errcode } = codes(error);
  if (code !== "ERR_SQLITE_ERROR" || typeof errcode !== "number") return undefined;
  return errcode & 0xff;
}

/** True when another process holds the lock, so that the same operation may succeed in a moment. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === busy || code === locked;
}

/** Converts an error of the file at `path` to `store_unavailable`; a `ToolError` is returned unchanged. */
export function storeError(path: string, error: unknown): ToolError {
  if (ToolError.is(error)) return error;
  const sqlite = sqliteCode(error);
  if (sqlite !== undefined) {
    const [text, length] = sqliteFaults[sqlite] ?? [
      "cannot be read or written: check its disk, and that no other program has changed it",
      "passes",
    ];
    return unavailable(path, text, { cause: error, retryable: length === "passes" });
  }
  const { code } = codes(error);
  const text = typeof code === "string" ? systemFaults[code] : undefined;
  return unavailable(path, text ?? "cannot be read or written", { cause: error });
}

/** `store_unavailable` about one file. `text` contains the problem and its correction. */
export function unavailable(
  path: string,
  text: string,
  options: { readonly cause?: unknown; readonly retryable?: boolean } = {},
): ToolError {
  return new ToolError("store_unavailable", `${path} ${text}.`, options);
}
