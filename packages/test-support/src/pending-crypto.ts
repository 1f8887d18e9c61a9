/**
 * The number of running WebCrypto operations: they run on other threads, and no turn of this one
 * waits for them.
 */
let pending = 0;

export const pendingCrypto = (): number => pending;

const { subtle } = globalThis.crypto;
for (const name of [
  "decrypt",
  "deriveKey",
  "digest",
  "encrypt",
  "importKey",
  "sign",
  "verify",
] as const) {
  const original = subtle[name].bind(subtle) as (...args: unknown[]) => Promise<unknown>;
  Object.defineProperty(subtle, name, {
    // Another file of the same worker wraps it again, with its own count.
    configurable: true,
    value: async (...args: unknown[]): Promise<unknown> => {
      pending += 1;
      try {
        return await original(...args);
      } finally {
        pending -= 1;
      }
    },
  });
}
