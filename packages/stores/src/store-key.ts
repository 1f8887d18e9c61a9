import { hkdfSync } from "node:crypto";
import { ToolError } from "@toolweave/core";

/** A secret of the host, of at least 32 bytes. */
export type StoreKey = string | Uint8Array;

const minKeyBytes = 32;

/**
 * Derives keys for separate uses from one secret (HKDF with SHA-256).
 *
 * @param where the function with the option `key`, for errors.
 * @returns the derivation, by the use and the number of bytes. Different uses have independent keys.
 * @throws ToolError `invalid_configuration` for a key that is too short.
 */
export function keyDerivation(
  where: string,
  key: StoreKey,
): (use: string, length: number, salt?: Uint8Array) => Buffer {
  const bytes = typeof key === "string" ? Buffer.from(key) : key;
  if (!(bytes instanceof Uint8Array) || bytes.byteLength < minKeyBytes) {
    throw new ToolError(
      "invalid_configuration",
      `${where}: key needs at least ${minKeyBytes} bytes, such as the output of openssl rand -hex 32.`,
    );
  }
  return (use, length, salt = Buffer.alloc(0)) =>
    Buffer.from(hkdfSync("sha256", bytes, salt, use, length));
}
