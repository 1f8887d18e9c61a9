import { open, type FileHandle } from "node:fs/promises";
import { resolve } from "node:path";
import { ToolError } from "@toolweave/core";
import { checkOptions } from "@toolweave/core/adapter";
import type { AuditEntry, AuditRecord, ReadAuditOptions } from "@toolweave/core/stores";
import { readFlags } from "./private-file.ts";
import { listFiles } from "./rotated-files.ts";
import { storeError, unavailable } from "./store-error.ts";

const optionNames: readonly string[] = [
  "before",
  "limit",
] satisfies readonly (keyof ReadAuditOptions)[];

const chunkBytes = 65_536;

/** No record is longer: other content of the file must not fill the memory. */
const maxLineBytes = 1_048_576;

const newline = 10;

/**
 * Reads the latest records of a file that `auditFile` has written, newest first, with those of the files that were moved
 * aside. Each is read from its end, as far as needed. A line that is still being written, one that a crash has truncated, and one that is no record are omitted. A
 * file that does not exist has no records.
 *
 * @throws ToolError `store_unavailable` when the file cannot be read, `invalid_configuration` for invalid options.
 */
export async function readAudit(
  path: string,
  options: ReadAuditOptions,
): Promise<readonly AuditEntry[]> {
  checkOptions("readAudit", options, optionNames);
  const { before, limit } = options;
  if (!(Number.isInteger(limit) && limit > 0)) {
    throw new ToolError(
      "invalid_configuration",
      "readAudit: limit must be a whole number above 0.",
    );
  }
  const end = before === undefined ? undefined : Number(before);
  if (end !== undefined && !(Number.isSafeInteger(end) && end >= 0)) {
    throw new ToolError("invalid_configuration", "readAudit: before is the position of a record.");
  }
  const name = resolve(path);
  const entries: AuditEntry[] = [];
  try {
    for (const file of listFiles(name).toReversed()) {
      const start = (file.number - 1) * maxFileBytes;
      if (end !== undefined && end <= start) continue;
      await readFile(file.path, { start, end: end ?? Infinity, limit }, entries);
      if (entries.length === limit) break;
    }
    return entries;
  } catch (error) {
    if (isMissing(error)) return entries;
    throw storeError(name, error);
  }
}

/** Positions of the records of one file are below this, and those of the next file from it on. */
const maxFileBytes = 2 ** 36;

interface Part {
  /** The position of the first byte of the file. */
  readonly start: number;
  readonly end: number;
  readonly limit: number;
}

/** Adds the records of a file before `end`. */
async function readFile(
  path: string,
  { start, end, limit }: Part,
  entries: AuditEntry[],
): Promise<void> {
  let file: FileHandle;
  try {
    file = await open(path, readFlags);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  try {
    const status = await file.stat();
    if (!status.isFile()) throw unavailable(path, "is no file: name another path");
    for await (const line of linesBefore(file, Math.min(end - start, status.size))) {
      const record = toRecord(line.line);
      if (record === undefined) continue;
      const seq = start + line.start;
      entries.push({ seq, position: String(seq), record });
      if (entries.length === limit) return;
    }
  } finally {
    await file.close();
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

interface Line {
  readonly line: Buffer;
  /** The byte with which it begins. */
  readonly start: number;
}

/** The lines that end with a line break before `end`, last one first. */
async function* linesBefore(file: FileHandle, end: number): AsyncGenerator<Line> {
  /** The bytes from the start of the last chunk up to the line break that ends the next line. */
  let rest: Buffer | undefined;
  let isTooLong = false;
  for (let chunkEnd = end; chunkEnd > 0;) {
    const chunkStart = Math.max(0, chunkEnd - chunkBytes);
    const chunk = await readBytes(file, chunkStart, chunkEnd - chunkStart);
    let to = chunk.length;
    for (let at = chunk.lastIndexOf(newline, to - 1); at !== -1;) {
      const line = chunk.subarray(at + 1, to);
      if (rest !== undefined && !isTooLong) {
        yield { line: Buffer.concat([line, rest]), start: chunkStart + at + 1 };
      }
      rest = Buffer.alloc(0);
      isTooLong = false;
      to = at;
      at = at === 0 ? -1 : chunk.lastIndexOf(newline, at - 1);
    }
    if (rest !== undefined) {
      const first = chunk.subarray(0, to);
      isTooLong ||= first.length + rest.length > maxLineBytes;
      rest = isTooLong ? Buffer.alloc(0) : Buffer.concat([first, rest]);
    }
    chunkEnd = chunkStart;
  }
  if (rest !== undefined && !isTooLong) yield { line: rest, start: 0 };
}

async function readBytes(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let at = 0;
  while (at < length) {
    const { bytesRead } = await file.read(bytes, at, length - at, start + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}

function toRecord(line: Buffer): AuditRecord | undefined {
  if (line.length === 0) return undefined;
  try {
    const value = JSON.parse(line.toString("utf8")) as Partial<AuditRecord> | null;
    const isRecord =
      typeof value?.time === "number" &&
      typeof value.tool === "string" &&
      typeof value.decision === "string";
    return isRecord ? (value as AuditRecord) : undefined;
  } catch {
    return undefined;
  }
}
