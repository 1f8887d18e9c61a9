import { watch, type FSWatcher } from "node:fs";

/** Editors write a file in several steps. */
const settleMs = 50;

/** Watches folders, and calls `onChange` once after several changes. It does not keep the process alive. */
export class FolderWatch {
  readonly #onChange: () => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Watches these folders and no others. */
  set(folders: readonly string[]): void {
    if (this.#isClosed) return;
    const wanted = new Set(folders);
    for (const [folder, watcher] of this.#watchers) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of wanted) {
      if (this.#watchers.has(folder)) continue;
      try {
        const watcher = watch(folder, { persistent: false }, () => this.#schedule());
        const forget = (): void => {
          watcher.close();
          this.#watchers.delete(folder);
        };
        // A folder that is removed is not watched any more; it may come again.
        watcher.on("error", forget);
        this.#watchers.set(folder, watcher);
      } catch {
        // It was removed meanwhile: the folder around it reports that.
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(this.#onChange, settleMs);
  }
}
