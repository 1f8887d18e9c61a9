import { existsSync } from "node:fs";
import { FolderWatch } from "../source/folder-watch.ts";
import { findTestFolders } from "./find-tests.ts";

/** Watches tests and the artifacts beside them. */
export class TestWatch {
  readonly #watch: FolderWatch;
  readonly #paths: readonly string[];
  readonly #root: string;
  #hasChanged = false;
  #wake = (): void => {};

  /**
   * @param paths as for `findTests`.
   * @param root the folder to which relative paths belong.
   */
  constructor(paths: readonly string[], root: string) {
    this.#paths = paths;
    this.#root = root;
    this.#watch = new FolderWatch(() => {
      this.#hasChanged = true;
      this.#wake();
    });
    this.#follow();
  }

  /** Resolves at the next change, or at one since the last call. */
  async next(): Promise<void> {
    if (!this.#hasChanged) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#hasChanged = false;
    this.#follow();
  }

  close(): void {
    this.#watch.close();
  }

  /** Folders can have come and gone. */
  #follow(): void {
    this.#watch.set(findTestFolders(this.#paths, this.#root).filter((path) => existsSync(path)));
  }
}
