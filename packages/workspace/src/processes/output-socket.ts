import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The time without output after which it is complete, although a process in the background still holds it. */
const quietMs = 50;
const maxDrainMs = 500;
const chunkBytes = 64 * 1024;

/**
 * Receives the outputs of a command in one buffer, again and again. The pipes of Node.js have a new buffer for each chunk:
 * a flood then fills the memory before it is collected.
 */
export class OutputSocket {
  /** The descriptor for the command. Destroyed once the command was spawned. */
  readonly peer: Socket;
  readonly #client: Socket;
  #lastOutput = 0;
  #isPending = false;
  #isClosed = false;
  readonly #closed: Promise<unknown>;

  private constructor(client: Socket, peer: Socket) {
    this.#client = client;
    this.peer = peer;
    this.#closed = new Promise((resolve) =>
      client.once("close", () => {
        this.#isClosed = true;
        resolve(undefined);
      }),
    );
    client.on("error", () => {});
    peer.on("error", () => {});
  }

  /**
   * Opens a socket in a folder that only this user can enter, and that is gone afterwards.
   *
   * @param onOutput receives each chunk. It is overwritten after the call, or when the returned promise is settled.
   * @throws the error of the system (by rejecting).
   */
  static async open(onOutput: (chunk: Buffer) => void | Promise<void>): Promise<OutputSocket> {
    const folder = mkdtempSync(join(tmpdir(), "toolweave-output-"));
    const server = createServer();
    try {
      const path = join(folder, "socket");
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject).listen(path, resolve);
      });
      const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
      const client = connect({
        path,
        onread: {
          buffer: Buffer.alloc(chunkBytes),
          callback: (length, buffer) =>
            output.#take(onOutput((buffer as Buffer).subarray(0, length))),
        },
      });
      const output = new OutputSocket(client, await accepted);
      return output;
    } finally {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** @returns false: nothing more is read until the chunk was taken. */
  #take(taken: void | Promise<void>): boolean {
    this.#lastOutput = performance.now();
    if (taken === undefined) return true;
    this.#isPending = true;
    void taken.finally(() => {
      this.#isPending = false;
      this.#client.resume();
    });
    return false;
  }

  /** Waits until the rest of the output has come. A process in the background can hold the socket open without end. */
  async end(): Promise<void> {
    const begin = performance.now();
    this.#lastOutput = begin;
    while (!this.#isClosed) {
      const now = performance.now();
      const isQuiet = now - this.#lastOutput >= quietMs || now - begin >= maxDrainMs;
      if (!this.#isPending && isQuiet) break;
      await Promise.race([this.#closed, new Promise((resolve) => setTimeout(resolve, 10))]);
    }
    this.close();
  }

  /** Closes it. Output that comes later is lost. */
  close(): void {
    this.#client.destroy();
    this.peer.destroy();
  }
}
