import { randomBytes } from "node:crypto";
import { keyDerivation, type StoreKey } from "@toolweave/stores/shared";

const saltBytes = 32;
const keyIdBytes = 8;

/** How the key of one object is derived. It is stored with the row, and is not secret. */
export interface Seal {
  /** Identifies the key of the store. */
  readonly key: string;
  /** Random, hexadecimal. */
  readonly salt: string;
}

/** The keys of a store: the first one seals, every one opens. */
export class ObjectKeys {
  readonly #keys: readonly {
    readonly id: string;
    readonly derive: ReturnType<typeof keyDerivation>;
  }[];

  /** @throws ToolError `invalid_configuration` for a key that is too short. */
  constructor(keys: readonly StoreKey[]) {
    this.#keys = keys.map((key) => {
      const derive = keyDerivation("s3Artifacts", key);
      return { id: derive("toolweave s3 key id", keyIdBytes).toString("hex"), derive };
    });
  }

  /** A seal for a new object; `undefined`: the store has no key. */
  newSeal(): Seal | undefined {
    const [key] = this.#keys;
    return key && { key: key.id, salt: randomBytes(saltBytes).toString("hex") };
  }

  /** The key of an object; `undefined`: it was sealed with a key that this store does not have. */
  keyFor({ key: id, salt }: Seal): Buffer | undefined {
    const key = this.#keys.find((one) => one.id === id);
    return key?.derive("toolweave s3 object", 32, Buffer.from(salt, "hex"));
  }
}
