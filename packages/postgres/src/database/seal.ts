import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  randomBytes,
  type KeyObject,
} from "node:crypto";
import { ToolError } from "@toolweave/core";
import { keyDerivation, type StoreKey } from "@toolweave/stores/shared";

const plainVersion = 0;
const sealedVersion = 1;
const keyIdLength = 8;
const nonceLength = 12;
const tagLength = 16;

/**
 * The names that are authenticated with sealed values, made of the encoded keys of their rows: a value that was moved to
 * another row does not open.
 */
export const sealNames = {
  credential: (name: string): string => `credential ${name}`,
  task: (id: string): string => `task ${id}`,
  taskChange: (id: string): string => `task change ${id}`,
  outcome: (run: string, call: string): string => `call ${JSON.stringify([run, call])}`,
};

interface DerivedKey {
  readonly id: Buffer;
  readonly key: KeyObject;
}

/**
 * Seals values with AES-256-GCM. The first key seals; every key opens, so that a new key can be put before the old one
 * while rows of both exist. The name of a value is authenticated: see `sealNames`.
 */
export class Sealer {
  readonly #keys: readonly DerivedKey[];

  /** @throws ToolError `invalid_configuration` for a key that is too short. */
  constructor(keys: readonly StoreKey[]) {
    this.#keys = keys.map(derive);
  }

  get hasKey(): boolean {
    return this.#keys.length > 0;
  }

  /** How values begin that were sealed with the first key; `undefined`: there is no key. */
  get prefix(): Buffer | undefined {
    const [key] = this.#keys;
    return key === undefined ? undefined : Buffer.concat([Buffer.of(sealedVersion), key.id]);
  }

  /** The value as it is stored: sealed if there is a key, otherwise as it is. */
  seal(value: string, name: string): Buffer {
    const [key] = this.#keys;
    if (key === undefined) return Buffer.concat([Buffer.of(plainVersion), Buffer.from(value)]);
    const nonce = randomBytes(nonceLength);
    const cipher = createCipheriv("aes-256-gcm", key.key, nonce);
    cipher.setAAD(Buffer.from(name));
    const text = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]);
    return Buffer.concat([Buffer.of(sealedVersion), key.id, nonce, cipher.getAuthTag(), text]);
  }

  /**
   * @throws ToolError `store_unavailable` if the value was sealed with a key that this store does not have, or was
   * changed.
   */
  open(stored: Uint8Array, name: string): string {
    const bytes = Buffer.from(stored);
    if (bytes[0] === plainVersion) return bytes.toString("utf8", 1);
    const id = bytes.subarray(1, 1 + keyIdLength);
    const key = this.#keys.find((one) => one.id.equals(id));
    if (bytes[0] !== sealedVersion || key === undefined) {
      throw unreadable("was sealed with a key that this store does not have: add it to key");
    }
    try {
      const nonceEnd = 1 + keyIdLength + nonceLength;
      const nonce = bytes.subarray(1 + keyIdLength, nonceEnd);
      const decipher = createDecipheriv("aes-256-gcm", key.key, nonce, {
        authTagLength: tagLength,
      });
      decipher.setAAD(Buffer.from(name));
      decipher.setAuthTag(bytes.subarray(nonceEnd, nonceEnd + tagLength));
      const text = bytes.subarray(nonceEnd + tagLength);
      return Buffer.concat([decipher.update(text), decipher.final()]).toString("utf8");
    } catch (cause) {
      throw unreadable("was changed: delete it, or restore a backup", cause);
    }
  }
}

function unreadable(text: string, cause?: unknown): ToolError {
  const message = `A row of the PostgreSQL store ${text}.`;
  return new ToolError("store_unavailable", message, { cause, retryable: false });
}

function derive(key: StoreKey): DerivedKey {
  const derived = keyDerivation("postgresStore", key);
  const part = (use: string, length: number) => derived(`toolweave postgres ${use}`, length);
  return { id: part("key id", keyIdLength), key: createSecretKey(part("seal", 32)) };
}
