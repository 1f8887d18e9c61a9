import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { decodeWideText } from "@toolweave/core/adapter";

/** How a file is opened and how much of it is read. */
export interface RegularFileOptions {
  /** In bytes. A larger file is refused. Default: 67,108,864 (64 MiB). */
  readonly maxBytes?: number;
  /** Whether a symbolic link in place of the file is followed. Default: true. */
  readonly followLinks?: boolean;
}

const defaultMaxBytes = 67_108_864;

/**
 * Reads a file that has to be a regular one. Opening a pipe for reading would otherwise wait for a writer, a device
 * might never end, and a file of any size would fill the memory.
 *
 * @throws Error whose `code` says why, for a message in parentheses: the system's (`ENOENT`, `EISDIR`, `ELOOP`, …),
 * `not a regular file`, or `larger than … bytes`.
 */
export function readRegularFile(path: string, options: RegularFileOptions = {}): Buffer {
  const { maxBytes = defaultMaxBytes, followLinks = true } = options;
  // Windows knows neither flag.
  const noFollow = followLinks ? 0 : (constants.O_NOFOLLOW ?? 0);
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | noFollow);
  try {
    const stat = fstatSync(file);
    if (stat.isDirectory()) throw fileError(path, "EISDIR");
    if (!stat.isFile()) throw fileError(path, "not a regular file");
    if (stat.size > maxBytes) throw fileError(path, `larger than ${maxBytes} bytes`);
    const bytes = readFileSync(file);
    // It may have grown since.
    if (bytes.length > maxBytes) throw fileError(path, `larger than ${maxBytes} bytes`);
    return bytes;
  } finally {
    closeSync(file);
  }
}

/**
 * The text of a file in UTF-8, or in UTF-16 as Windows PowerShell writes it (`>`): with a byte order mark, or with a NUL
 * in the first character, which JSON cannot have (RFC 4627, section 3).
 */
export function decodeText(bytes: Uint8Array): string {
  return decodeWideText(bytes) ?? new TextDecoder().decode(bytes);
}

function fileError(path: string, code: string): Error {
  return Object.assign(new Error(`${path} cannot be read (${code})`), { code });
}
