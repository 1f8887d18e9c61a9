import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/**
 * Reads a text of UTF-8. A pipe or a device is not opened for reading: it would wait for a writer, or have no end.
 *
 * @returns undefined if it cannot be read, is not a regular file, or has more than `maxBytes`.
 */
export function readTextFile(path: string, maxBytes: number): string | undefined {
  let file: number | undefined;
  try {
    // Windows has no such flag.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(file);
    return stat.isFile() && stat.size <= maxBytes ? readFileSync(file, "utf8") : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
