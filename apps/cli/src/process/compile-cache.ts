import { mkdirSync, statSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * Lets Node.js keep what it compiled of the program for the next start, in `toolweave/compiled` of
 * `$XDG_CACHE_HOME` or `~/.cache`. Nothing is kept where that is no folder of this user alone: what
 * is read from it runs. `NODE_DISABLE_COMPILE_CACHE=1` turns it off.
 */
export function keepCompiled(env: Readonly<Record<string, string | undefined>>): void {
  const { XDG_CACHE_HOME: cacheHome = "", HOME: home = "" } = env;
  const parent = isAbsolute(cacheHome) ? cacheHome : join(home || homedir(), ".cache");
  const own = join(parent, "toolweave");
  const folder = join(own, "compiled");
  // One by one: Node's `recursive` never comes to an end where nothing can be made, as under /proc.
  if ([parent, own, folder].every(isPrivateFolder)) enableCompileCache(folder);
}

/** Makes a folder that is missing. False when others can write to it, or when it cannot be made. */
function isPrivateFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch {
    // It exists, or cannot be made.
  }
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return false;
  // Windows has no such owner and bits; a user's folders are private there.
  return process.getuid === undefined || (found.uid === process.getuid() && !(found.mode & 0o022));
}
