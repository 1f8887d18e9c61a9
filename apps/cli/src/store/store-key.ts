import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { ToolError } from "@toolweave/core";
import { UsageError } from "../process/exit-code.ts";
import type { CommandKey } from "./command-store.ts";
import { makePrivateFolder } from "./private-folder.ts";

const minBytes = 32;
/** Far more than any key has. */
const maxBytes = 65_536;

/**
 * The secret that seals the calls which wait in a store, and the grants: `$TOOLWEAVE_KEY`, else a
 * file beside the store. A file that is not there yet is only made by `keep`.
 */
export class StoreKey implements CommandKey {
  readonly value: string;
  readonly former: readonly string[] = [];
  readonly path: string | undefined;
  readonly problem: ToolError | undefined;
  #isSaved: boolean;
  #wasTaken = false;

  /** @throws UsageError for a `$TOOLWEAVE_KEY` that is too short. */
  constructor(storePath: string, env: Readonly<Record<string, string | undefined>>) {
    const configured = env["TOOLWEAVE_KEY"] ?? "";
    if (configured !== "") {
      if (Buffer.byteLength(configured) < minBytes) {
        throw new UsageError(
          `TOOLWEAVE_KEY must have at least ${minBytes} bytes, such as what "openssl rand -base64 32" prints.`,
        );
      }
      this.value = configured;
      this.#isSaved = true;
      return;
    }
    this.path = `${storePath}.key`;
    const read = readKey(this.path);
    this.problem = typeof read === "string" ? undefined : read;
    this.#isSaved = typeof read === "string";
    // A new key is known to this process alone until it is saved, and is not used if it cannot be saved.
    this.value = typeof read === "string" ? read : randomBytes(minBytes).toString("base64url");
  }

  get isNew(): boolean {
    return !this.#isSaved && this.problem === undefined;
  }

  get wasTaken(): boolean {
    return this.#wasTaken;
  }

  save(): void {
    if (this.problem !== undefined) throw this.problem;
    if (this.#isSaved || this.path === undefined) return;
    this.#wasTaken = !writeKey(this.path, this.value);
    if (this.#wasTaken)
      throw unusableError(this.path, "was just created by another process: try again");
    this.#isSaved = true;
  }
}

/** The key in a file; undefined: there is no file. */
function readKey(path: string): string | ToolError | undefined {
  let file: number;
  try {
    // Follows no link, and does not wait where there is a pipe. Windows knows neither.
    const flags = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    file = openSync(path, constants.O_RDONLY | flags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ELOOP") return unusableError(path, "is a link: replace it with the key file");
    return code === "ENOENT" ? undefined : unusableError(path, `cannot be read (${code})`, error);
  }
  try {
    const fault = findFault(file);
    if (fault !== undefined) return unusableError(path, fault);
    const text = readFileSync(file, "utf8").trim();
    if (Buffer.byteLength(text) >= minBytes) return text;
    return unusableError(path, `is not a key of at least ${minBytes} bytes: restore it`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return unusableError(path, `cannot be read (${code})`, error);
  } finally {
    closeSync(file);
  }
}

/** Returns what is wrong with a key's file. Read access allows approving calls, and write access choosing the key. */
function findFault(file: number): string | undefined {
  const stat = fstatSync(file);
  if (!stat.isFile() || stat.size > maxBytes) return "is not a key: restore it";
  if (process.platform === "win32") return undefined;
  const { mode, uid } = stat;
  if (uid !== process.geteuid?.()) return "belongs to another user: run the command as that user";
  return (mode & 0o077) === 0 ? undefined : "is accessible to other users: run `chmod 600` on it";
}

/** Makes the file at once with all that is in it; false when there is one already. */
function writeKey(path: string, key: string): boolean {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    makePrivateFolder(path);
    const file = openSync(draft, "wx", 0o600);
    try {
      writeFileSync(file, `${key}\n`);
      // A key that a crash takes away takes everything with it that it has sealed.
      fsyncSync(file);
      return linkFile(draft, path);
    } finally {
      closeSync(file);
      rmSync(draft, { force: true });
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw unusableError(
      path,
      `cannot be created (${code}): choose another place with --store`,
      error,
    );
  }
}

function linkFile(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function unusableError(path: string, what: string, cause?: unknown): ToolError {
  return new ToolError("store_unavailable", `The key ${path} ${what}.`, { cause });
}
