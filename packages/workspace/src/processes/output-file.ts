import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Bytes of a part that is read at once. */
const maxRead = 30_000;

/** The output of a command in the background, in a file that only this process can read. */
export class OutputFile {
  readonly #folder: string;
  readonly #fd: number;
  readonly #maxBytes: number;
  #stored = 0;
  /** Number of bytes of the output, with those beyond the maximum, which are lost. */
  length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#folder = mkdtempSync(join(tmpdir(), "toolweave-output-"));
    this.#fd = openSync(join(this.#folder, "output"), "wx+", 0o600);
  }

  add(chunk: Buffer): void {
    const kept = chunk.subarray(0, Math.max(0, this.#maxBytes - this.#stored));
    // A descriptor of this process can only fail for want of space: the rest of the output is lost then.
    try {
      for (let at = 0; at < kept.length;) at += writeSync(this.#fd, kept, at);
      this.#stored += kept.length;
    } catch {
      this.#stored = this.#maxBytes;
    }
    this.length += chunk.length;
  }

  /** The bytes that were lost at the end. */
  get lost(): number {
    return this.length - this.#stored;
  }

  /** A part that begins at a place, up to the end of a line if there is one. */
  read(from: number): { readonly bytes: Buffer; readonly next: number } {
    const length = Math.max(0, Math.min(this.#stored - from, maxRead));
    const buffer = Buffer.alloc(length);
    const count = length === 0 ? 0 : readSync(this.#fd, buffer, 0, length, from);
    const all = buffer.subarray(0, count);
    const isCut = from + count < this.#stored;
    const lineEnd = all.lastIndexOf(10) + 1;
    const bytes = isCut && lineEnd > 0 ? all.subarray(0, lineEnd) : all;
    return { bytes, next: from + bytes.length };
  }

  close(): void {
    closeSync(this.#fd);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
