import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  timingSafeEqual,
} from "node:crypto";

type Bytes = Uint8Array;
interface Key {
  readonly bytes: Bytes;
}

const tagBytes = 16;

/**
 * A `crypto` that does what core uses of the platform's, in the next microtask: with other threads,
 * the same seed would not play the same run twice.
 */
export function instantCrypto(): unknown {
  let made = 0;
  const id = (): string => `00000000-0000-4000-8000-${String(++made).padStart(12, "0")}`;
  return {
    randomUUID: id,
    getRandomValues: (bytes: Bytes): Bytes => {
      // A nonce must never be the same twice in a row.
      bytes.set(createHash("sha256").update(id()).digest().subarray(0, bytes.length));
      return bytes;
    },
    subtle: {
      digest: async (_: string, data: Bytes) => createHash("sha256").update(data).digest(),
      importKey: async (_: string, bytes: Bytes): Promise<Key> => ({ bytes }),
      deriveKey: async ({ info }: { info: Bytes }, { bytes }: Key): Promise<Key> => ({
        bytes: new Uint8Array(hkdfSync("sha256", bytes, new Uint8Array(), info, 32)),
      }),
      encrypt: async (
        { iv, additionalData }: { iv: Bytes; additionalData: Bytes },
        { bytes }: Key,
        data: Bytes,
      ) => {
        const cipher = createCipheriv("aes-256-gcm", bytes, iv).setAAD(additionalData);
        const sealed = Buffer.concat([cipher.update(data), cipher.final(), cipher.getAuthTag()]);
        return new Uint8Array(sealed).buffer;
      },
      decrypt: async (
        { iv, additionalData }: { iv: Bytes; additionalData: Bytes },
        { bytes }: Key,
        data: Bytes,
      ) => {
        const tag = data.subarray(-tagBytes);
        const cipher = createDecipheriv("aes-256-gcm", bytes, iv)
          .setAAD(additionalData)
          .setAuthTag(tag);
        return Buffer.concat([cipher.update(data.subarray(0, -tagBytes)), cipher.final()]);
      },
      sign: async (_: string, { bytes }: Key, data: Bytes) =>
        createHmac("sha256", bytes).update(data).digest(),
      verify: async (_: string, { bytes }: Key, seal: Bytes, data: Bytes) => {
        const expected = createHmac("sha256", bytes).update(data).digest();
        return seal.length === expected.length && timingSafeEqual(seal, expected);
      },
    },
  };
}
