import type { BigIntStats } from "node:fs";
import { ToolError } from "@toolweave/core";
import { readBytes } from "../files/read-bytes.ts";
import { replaceFile, type ReplaceOptions } from "../files/replace-file.ts";
import { JailError } from "../jail/jail-error.ts";
import type { WritePlace } from "../jail/path-info.ts";
import { displayPath } from "./workspace.ts";

/** The maximum size of a file that is rewritten as a whole. */
const maxRewrittenBytes = 100 * 1024 * 1024;

/**
 * The content of a file that is to be written as a whole.
 *
 * @throws ToolError `execution_failed` for a file that is too large; JailError when it cannot be opened.
 */
export function readWhole({
  stat,
  info,
  openFile,
}: Pick<WritePlace, "stat" | "info" | "openFile">): Buffer {
  const size = Number(stat?.size ?? 0);
  if (size > maxRewrittenBytes) {
    throw new ToolError(
      "execution_failed",
      `"${displayPath(info)}" has ${size} bytes, and files of up to ${maxRewrittenBytes} are changed. Use a command.`,
    );
  }
  const file = openFile();
  try {
    return readBytes(file.fd, 0, size);
  } finally {
    file.close();
  }
}

/**
 * Replaces the file by these bytes, unless it has changed since its place was opened.
 *
 * @returns the state of the new file.
 * @throws JailError (by rejecting) `changed` when it is another one, or has other content; see `replaceFile`.
 */
export function rewriteFile(
  place: WritePlace,
  bytes: Uint8Array,
  options: Pick<ReplaceOptions, "mode"> = {},
): Promise<BigIntStats> {
  return replaceFile(place, bytes, { ...options, check: (now) => checkUnchanged(place.stat, now) });
}

function checkUnchanged(before: BigIntStats | undefined, now: BigIntStats | undefined): void {
  const isSame =
    before === undefined || now === undefined
      ? before === now
      : before.ino === now.ino &&
        before.dev === now.dev &&
        before.size === now.size &&
        before.mtimeNs === now.mtimeNs;
  if (!isSame) throw new JailError("changed");
}
