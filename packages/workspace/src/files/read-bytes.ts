import { readSync } from "node:fs";

/** Reads bytes of an open file; fewer if it ends before. */
export function readBytes(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let count = 0;
  while (count < length) {
    const read = readSync(fd, bytes, count, length - count, position + count);
    if (read === 0) break;
    count += read;
  }
  return bytes.subarray(0, count);
}
