import { canonicalJson } from "@toolweave/core";

/**
 * Names a call by its tool and what the model sent: SHA-256, in hexadecimal digits.
 *
 * @param input parsed JSON.
 * @throws when it nests too deeply to be written.
 */
export async function digestOf(name: string, input: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalJson([name, input]));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
