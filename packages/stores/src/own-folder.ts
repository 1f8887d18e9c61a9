import { lstatSync, type BigIntStats } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { join } from "node:path";
import { exposure, makePrivateFolder } from "./private-file.ts";
import { storeError, unavailable } from "./store-error.ts";

const isWindows = process.platform === "win32";

/**
 * A folder that is this user's alone, and stays the one it was: a link that takes its place is
 * noticed before anything is written through it.
 */
export class OwnFolder {
  readonly path: string;
  readonly #identity: string;

  /** @throws ToolError `store_unavailable` when it cannot be made, and when others can get at it. */
  constructor(path: string) {
    this.path = path;
    try {
      makePrivateFolder(join(path, "file"));
      const stat = lstatSync(path, { bigint: true });
      this.#assertPrivate(stat);
      this.#identity = identityOf(stat);
    } catch (error) {
      throw storeError(path, error);
    }
  }

  /** @throws ToolError `store_unavailable` when it was removed or replaced. */
  async assertThere(): Promise<void> {
    const stat = await lstat(this.path, { bigint: true }).catch(() => undefined);
    if (stat !== undefined && stat.isDirectory() && identityOf(stat) === this.#identity) return;
    throw unavailable(
      this.path,
      "was deleted or replaced while it was in use: bring the folder back, or restart to continue with a new one",
    );
  }

  /** Flushes the folder: files made and renamed in it survive a power failure. */
  async sync(): Promise<void> {
    // Windows opens no folders.
    if (isWindows) return;
    const folder = await open(this.path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  #assertPrivate(stat: BigIntStats): void {
    const fault = stat.isSymbolicLink()
      ? "is a link: name the folder itself"
      : stat.isDirectory()
        ? exposure(stat, 0o700)
        : "is no folder: name another path";
    if (fault !== undefined) throw unavailable(this.path, fault, { retryable: false });
  }
}

function identityOf(stat: BigIntStats): string {
  return `${stat.dev}:${stat.ino}`;
}
