import { closeSync, fstatSync, fsync, readSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import type { AuditRecord, AuditSink } from "@toolweave/core/stores";
import { ToolError } from "@toolweave/core";
import { checkOptions, checks, type OptionChecks } from "@toolweave/core/adapter";
import { jsonLine, openAppending, makePrivateFolder } from "./private-file.ts";
import { rotateFile } from "./rotated-files.ts";
import { storeError, unavailable } from "./store-error.ts";

/** Options of an audit file. */
export interface AuditFileOptions {
  /** A call whose decision could not be written is refused. Default: false. */
  readonly required?: boolean;
  /**
   * A record is on the disk, and not only with the operating system, before its call continues. Default: `required`.
   */
  readonly sync?: boolean;
  /**
   * Bytes of the file above which it is moved aside, and a new one is begun: `audit.jsonl.1`, `audit.jsonl.2`, … `readAudit`
   * reads all of them. Default: no limit.
   */
  readonly maxBytes?: number;
  /** How many files that were moved aside are kept. The oldest are deleted. Default: all. */
  readonly maxRotated?: number;
}

const optionChecks: OptionChecks<AuditFileOptions> = {
  required: checks.flag,
  sync: checks.flag,
  maxBytes: checks.wholeFrom(1),
  maxRotated: checks.wholeFrom(1),
};

const newline = 10;
const sync = promisify(fsync);

/**
 * An audit sink that appends one line of JSON for each record to a file, made with mode 0600 (a missing folder: 0700).
 * Several processes may share the file: a record is one write, and lines never mix. A line that a crash has truncated
 * stays on a line of its own. The file is opened for each record: it may be moved away at any time, and a new one is
 * begun. A symbolic link is not followed, and an entry that is no file is rejected.
 *
 * `write` fails with a `ToolError` `store_unavailable`, and works again as soon as the disk does.
 *
 * @throws ToolError `store_unavailable` when the file cannot be opened; `invalid_configuration` for invalid options.
 */
export function auditFile(path: string, options: AuditFileOptions = {}): AuditSink {
  checkOptions("auditFile", options, optionChecks);
  if (typeof path !== "string" || path === "") {
    throw new ToolError(
      "invalid_configuration",
      `auditFile needs a path: auditFile("audit.jsonl").`,
    );
  }
  return new AuditFile(resolve(path), options);
}

class AuditFile implements AuditSink {
  readonly required: boolean;
  readonly #path: string;
  readonly #sync: boolean;
  readonly #maxBytes: number;
  readonly #maxRotated: number;
  #isStuck = false;

  constructor(path: string, options: AuditFileOptions) {
    const { required = false, sync = required, maxBytes = Infinity } = options;
    this.#path = path;
    this.required = required;
    this.#sync = sync;
    this.#maxBytes = maxBytes;
    this.#maxRotated = options.maxRotated ?? Infinity;
    try {
      makePrivateFolder(path);
      closeSync(openAppending(path));
    } catch (error) {
      throw storeError(path, error);
    }
  }

  async write(record: AuditRecord): Promise<void> {
    const line = jsonLine(record);
    try {
      const file = openAppending(this.#path);
      try {
        // In the order of the calls: nothing is awaited before it.
        this.#append(file, line);
        if (fstatSync(file).size >= this.#maxBytes) this.#rotate();
        if (this.#sync) await sync(file);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      throw storeError(this.#path, error);
    }
  }

  /** The record is written already: a file that cannot be moved aside is no reason to refuse its call. */
  #rotate(): void {
    try {
      rotateFile(this.#path, this.#maxRotated);
    } catch (error) {
      if (this.#isStuck) return;
      this.#isStuck = true;
      process.emitWarning(
        `auditFile: ${this.#path} is full and cannot be moved aside, so that it grows (${(error as Error).message}).`,
        "ToolweaveWarning",
      );
    }
  }

  #append(file: number, line: string): void {
    const bytes = Buffer.from(endsInLine(file) ? line : `\n${line}`);
    if (writeSync(file, bytes) === bytes.length) return;
    // The rest is not sent after it: another process may have written in between.
    throw unavailable(this.#path, "took only a part of a record: free some space on its disk");
  }
}

/** False when a crash, here or in another process, has cut off the last line. */
function endsInLine(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last[0] === newline;
}
