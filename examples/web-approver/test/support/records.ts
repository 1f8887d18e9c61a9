import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The lines of a file that tools write to; none if it does not exist. */
export function records(folder: string, file: string): Record<string, unknown>[] {
  const path = join(folder, file);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
