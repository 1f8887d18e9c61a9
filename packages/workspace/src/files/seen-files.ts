import type { BigIntStats } from "node:fs";

/** The state in which a file was seen. */
interface SeenFile {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
}

/** Files that are remembered. The oldest is forgotten first. */
const maxFiles = 10_000;

/** The files that a model has seen, and in which state. A file that it has not seen, or that has changed, is not overwritten. */
export class SeenFiles {
  readonly #files = new Map<string, SeenFile>();

  /** @param realPath the absolute path without links. */
  add(realPath: string, { dev, ino, size, mtimeNs }: BigIntStats): void {
    this.#files.delete(realPath);
    this.#files.set(realPath, { dev, ino, size, mtimeNs });
    const [oldest] = this.#files.keys();
    if (this.#files.size > maxFiles && oldest !== undefined) this.#files.delete(oldest);
  }

  /** The state of a file as the model of a run knows it. */
  getState(realPath: string, stat: BigIntStats): "unseen" | "changed" | "seen" {
    const seen = this.#files.get(realPath);
    if (seen === undefined) return "unseen";
    const { dev, ino, size, mtimeNs } = seen;
    const isSame =
      dev === stat.dev && ino === stat.ino && size === stat.size && mtimeNs === stat.mtimeNs;
    return isSame ? "seen" : "changed";
  }
}
