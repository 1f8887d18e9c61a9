import { setImmediate } from "node:timers/promises";

const maxErrors = 20;

/**
 * Keeps errors that escape from foreign code, unhandled rejections and errors that cannot be
 * caught, from ending the process while it is tested.
 */
export class EscapedErrors {
  readonly #errors: unknown[] = [];
  readonly #record = (error: unknown): void => {
    if (this.#errors.length < maxErrors) this.#errors.push(error);
  };

  constructor() {
    process.on("unhandledRejection", this.#record);
    process.on("uncaughtException", this.#record);
  }

  /** Stops recording. Resolves with the first of each message. */
  async end(): Promise<readonly unknown[]> {
    // A rejection is reported after the turn in which it was not handled.
    await setImmediate();
    process.off("unhandledRejection", this.#record);
    process.off("uncaughtException", this.#record);
    const byMessage = new Map<string, unknown>();
    for (const error of this.#errors) {
      const message = String(error);
      if (!byMessage.has(message)) byMessage.set(message, error);
    }
    return [...byMessage.values()];
  }
}
