import { Worker } from "node:worker_threads";

/** Replaces a folder by a link, and the link by the folder, again and again, until it is stopped. */
const script = `
const { renameSync, rmSync } = require("node:fs");
const { parentPort, workerData: { path, link, folder, flag } } = require("node:worker_threads");
const stop = new Int32Array(flag);
let swaps = 0;
// The attacked side may create a folder of the name while there is none.
const rename = (from, to) => {
  for (;;) {
    try {
      return renameSync(from, to);
    } catch {
      try {
        rmSync(to, { recursive: true, force: true });
      } catch {
        // The other side has just written there.
      }
    }
  }
};
parentPort.postMessage("ready");
while (Atomics.load(stop, 0) === 0) {
  rename(path, folder);
  rename(link, path);
  rename(path, link);
  rename(folder, path);
  swaps += 1;
}
parentPort.postMessage(swaps);
`;

/** A thread that swaps a folder with a link. */
export class SwappingAttacker {
  readonly #worker: Worker;
  readonly #stop: Int32Array;

  private constructor(worker: Worker, stop: Int32Array) {
    this.#worker = worker;
    this.#stop = stop;
  }

  /**
   * Starts the attack.
   *
   * @param path the folder that is swapped.
   * @param link the link that takes its place.
   * @param folder the name that the folder has meanwhile.
   */
  static async start(path: string, link: string, folder: string): Promise<SwappingAttacker> {
    const flag = new SharedArrayBuffer(4);
    const worker = new Worker(script, { eval: true, workerData: { path, link, folder, flag } });
    await new Promise((resolve) => worker.once("message", resolve));
    return new SwappingAttacker(worker, new Int32Array(flag));
  }

  /** Stops it. Returns the number of swaps. */
  async stop(): Promise<number> {
    const swaps = new Promise<number>((resolve, reject) => {
      this.#worker.once("message", resolve).once("error", reject);
    });
    Atomics.store(this.#stop, 0, 1);
    return swaps;
  }
}
