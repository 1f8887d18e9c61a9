import type { StoredArtifact } from "@toolweave/core/stores";
import { ToolError } from "@toolweave/core";

/** The last moment that a `Date` knows. JSON has no word for later ones, such as `Infinity`. */
export const lastMoment = 8.64e15;

/** A description is read whole, so that it must not be as large as what it describes. */
export const maxDescription = 65_536;

/** Keys become names of files: any other text is rejected. */
export function isArtifactKey(key: unknown): key is string {
  return typeof key === "string" && /^art_[0-9a-f]{32}$/.test(key);
}

/** The stored description of an artifact, beside its bytes. */
export interface DescribedArtifact {
  readonly json: string;
  readonly expiresAt: number;
}

/**
 * The form of an artifact in a store.
 *
 * @param data the bytes, or the number of them.
 * @throws ToolError `internal` for an invalid key, size or expiry, `limit_exceeded` for a name or an owner that is too
 * long.
 */
export function describedArtifact(
  artifact: StoredArtifact,
  data: Pick<Uint8Array, "byteLength">,
): DescribedArtifact {
  const { key, size, expiresAt } = artifact;
  if (!isArtifactKey(key)) {
    throw new ToolError("internal", "An artifact's key is art_ and 32 hexadecimal digits.");
  }
  if (size !== data.byteLength || !(expiresAt > -lastMoment)) {
    throw new ToolError(
      "internal",
      `The artifact ${key} is said to have ${size} bytes and to expire at ${expiresAt}, and has ${data.byteLength}.`,
    );
  }
  const kept = { ...artifact, expiresAt: Math.min(expiresAt, lastMoment) };
  const json = JSON.stringify(kept);
  if (Buffer.byteLength(json) > maxDescription) {
    throw new ToolError(
      "limit_exceeded",
      `An artifact's name, type and owner take ${maxDescription} bytes at most.`,
    );
  }
  return { json, expiresAt: kept.expiresAt };
}

/** The stored description; `undefined` if it is not that of `key`. */
export function parseDescription(key: string, json: string): StoredArtifact | undefined {
  try {
    const artifact = JSON.parse(json) as Partial<StoredArtifact> | null;
    const { size = -1, expiresAt } = artifact ?? {};
    const sound =
      artifact?.key === key &&
      Number.isSafeInteger(size) &&
      size >= 0 &&
      Number.isFinite(expiresAt);
    return sound ? (artifact as StoredArtifact) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Where a range ends that may reach beyond the last byte.
 *
 * @throws ToolError `internal` for what is no range.
 */
export function endOfRange(size: number, offset: number, length: number): number {
  if (!(Number.isSafeInteger(offset) && offset >= 0 && length >= 0)) {
    throw new ToolError(
      "internal",
      `Bytes are read from an offset of 0 or more: not ${length} from ${offset} on.`,
    );
  }
  return Math.max(offset, Math.min(size, offset + Math.floor(length)));
}

/** The key of an artifact that is stored. */
export function artifactTaken(key: string): ToolError {
  return new ToolError(
    "internal",
    `The artifact ${key} is stored already: give each a key of its own.`,
  );
}

/** A quota that is used up. */
export function artifactsFull(maxBytes: number): ToolError {
  return new ToolError(
    "limit_exceeded",
    `The artifacts would take more than ${maxBytes} bytes: wait until some have expired, or raise the limit.`,
  );
}

/**
 * The quota of one owner that is used up.
 *
 * @param option what raises it.
 */
export function ownerFull(maxBytes: number, option: string): ToolError {
  return new ToolError(
    "limit_exceeded",
    `The artifacts of this caller would take more than ${maxBytes} bytes: wait until some have expired, or raise ${option} of the store.`,
  );
}
