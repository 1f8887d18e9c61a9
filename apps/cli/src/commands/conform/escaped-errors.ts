import { setImmediate } from "node:timers/promises";

const maxErrors = 20;

/**
 * Keeps what foreign code lets escape, rejections that nobody handles and errors that nobody can
 * catch, from ending the process while it is tested.
 */
export class EscapedErrors {
  readonly #errors: unknown[] = [];
  readonly #keep = (error: unknown): void => {
    if (this.#errors.length < maxErrors) this.#errors.push(error);
  };

  constructor() {
    process.on("unhandledRejection", this.#keep);
    process.on("uncaughtException", this.#keep);
  }

  /** Stops to keep them. Resolves with the first of each message. */
  async end(): Promise<readonly unknown[]> {
    // A rejection is told of after the turn in which nobody handled it.
    await setImmediate();
    process.off("unhandledRejection", this.#keep);
    process.off("uncaughtException", this.#keep);
    const byMessage = new Map<string, unknown>();
    for (const error of this.#errors) {
      const message = String(error);
      if (!byMessage.has(message)) byMessage.set(message, error);
    }
    return [...byMessage.values()];
  }
}
