import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makePrivateFolder } from "../../store/private-folder.ts";
import { isDefaultDatabase, storePath } from "../../store/store-place.ts";

const maxLines = 1000;

/** The lines of earlier sessions: in a file of the store's folder if `TOOLWEAVE_STORE` names a file, else in memory alone. */
export class History {
  readonly #path: string | undefined;
  /** The last line first. */
  readonly lines: readonly string[];

  constructor(env: Readonly<Record<string, string | undefined>>) {
    const isConfigured = (env["TOOLWEAVE_STORE"] ?? "") !== "" && !isDefaultDatabase(env);
    this.#path = isConfigured
      ? join(dirname(storePath(undefined, env)), "repl-history")
      : undefined;
    this.lines = this.#read();
  }

  #read(): readonly string[] {
    if (this.#path === undefined) return [];
    try {
      const lines = readFileSync(this.#path, "utf8").split("\n");
      return lines
        .filter((line) => line !== "")
        .toReversed()
        .slice(0, maxLines);
    } catch {
      return [];
    }
  }

  /** Stores lines, the last one first. A history that cannot be stored is no reason to stop. */
  save(lines: readonly string[]): void {
    if (this.#path === undefined) return;
    try {
      makePrivateFolder(this.#path);
      const text = lines.slice(0, maxLines).toReversed().join("\n");
      writeFileSync(this.#path, `${text}\n`, { mode: 0o600 });
    } catch {
      // Read-only, or full.
    }
  }
}
