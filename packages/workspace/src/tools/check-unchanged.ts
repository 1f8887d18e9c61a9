import type { BigIntStats } from "node:fs";
import { JailError } from "../jail/jail-error.ts";

/** The maximum size of a file that is rewritten as a whole. */
export const maxEditedBytes: number = 100 * 1024 * 1024;

/** @throws JailError `changed` when the file is another one than the one that was opened, or has other content. */
export function checkUnchanged(
  before: BigIntStats | undefined,
  now: BigIntStats | undefined,
): void {
  const isSame =
    before === undefined || now === undefined
      ? before === now
      : before.ino === now.ino &&
        before.dev === now.dev &&
        before.size === now.size &&
        before.mtimeNs === now.mtimeNs;
  if (!isSame) throw new JailError("changed");
}
