import { ToolError, type Awaitable } from "@toolweave/core";

/**
 * Asks a store of the host. If it is not available, the model reads that, and nothing of the store: its own error, which
 * may name a file or the address of a database, is the cause.
 *
 * @param what the content of the store: `memories`.
 */
export async function askStore<T>(what: string, ask: () => Awaitable<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (ToolError.is(cause) && cause.code !== "store_unavailable") throw cause;
    throw new ToolError(
      "store_unavailable",
      `The store of ${what} is not available. Try again later, or continue without it.`,
      { cause, ...(ToolError.is(cause) ? { retryable: cause.retryable } : {}) },
    );
  }
}
