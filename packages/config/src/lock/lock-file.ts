import { ToolError } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import { readRegularFile } from "../files/regular-file.ts";
import { replaceFile } from "../files/replace-file.ts";
import { formatLock, parseLock } from "./lock-format.ts";
import { parseVersion1 } from "./lock-version-1.ts";
import type { Lock } from "./lock.ts";

/** A file with the details of as many tools as one source can have takes less. */
const maxBytes = 268_435_456;

/**
 * Reads a `toolweave.lock.json`, of this version or of version 1.
 *
 * @throws ToolError `unavailable` for a file that cannot be read, is a link or no regular file, or has more than 256
 * MiB; `invalid_configuration` for a file that is no lock, has another version, or in which a tool was edited by hand.
 */
export async function readLock(path: string): Promise<Lock> {
  let text: string;
  try {
    text = readRegularFile(path, { maxBytes, followLinks: false }).toString();
  } catch (error) {
    const { code = "unknown reason" } = error as NodeJS.ErrnoException;
    const advice =
      code === "ENOENT"
        ? ": make it with `toolweave lock`"
        : code === "ELOOP"
          ? ": it is a link, which is not followed"
          : "";
    throw new ToolError("unavailable", `The lock ${path} cannot be read (${code})${advice}.`, {
      cause: error,
      retryable: false,
    });
  }
  const lock = parse(text);
  if (typeof lock !== "string") return lock;
  throw new ToolError(
    "invalid_configuration",
    `${path} ${lock}: make it anew with \`toolweave lock\`.`,
  );
}

/**
 * Writes a lock at once with all that is in it: sorted, a tool a line, or a key a line if it has details. A link in its
 * place is replaced, not followed. The file keeps its mode; a new one has 0644, as it belongs with the configuration.
 *
 * @throws ToolError `invalid_configuration` for a lock whose details take more than 256 MiB; the system's error.
 */
export async function writeLock(path: string, lock: Lock): Promise<void> {
  const text = formatLock(lock);
  if (Buffer.byteLength(text) > maxBytes) {
    throw new ToolError(
      "invalid_configuration",
      `The lock has more than ${maxBytes} bytes, and could not be read: write it without details.`,
    );
  }
  await replaceFile(path, text);
}

/** Returns a text about the problem if it is invalid. */
function parse(text: string): Lock | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "is no JSON";
  }
  if (!isObject(value) || value["version"] === undefined) return "is no lock";
  const { version } = value;
  if (version === 1) return parseVersion1(value);
  if (version === 2) return parseLock(value);
  return `is a lock of version ${JSON.stringify(version).slice(0, 20)}, and only versions 1 and 2 can be read here`;
}
