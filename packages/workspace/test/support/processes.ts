import { readdirSync, readFileSync } from "node:fs";

/** The processes that have an argument. */
export function processesWith(argument: string): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").includes(argument);
    } catch {
      // It has ended.
      return false;
    }
  });
}
