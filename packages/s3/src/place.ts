import { randomBytes } from "node:crypto";
import type { Seal } from "./sealing/object-keys.ts";

/** Where the bytes of an artifact are, as the index stores it. */
export interface Place {
  /** The name of the object. It is random, so that no two writes have the same one. */
  readonly object: string;
  /** Bytes of the object. */
  readonly bytes: number;
  /** It is written by a multipart upload. */
  readonly parts?: true;
  /** Absent: the object is not sealed. */
  readonly seal?: Seal;
  /** The SHA-256 of an object that is not sealed, hexadecimal. Absent while it is written in parts. */
  readonly sha256?: string;
}

/** A name for a new object. */
export function newObjectName(prefix: string): string {
  return `${prefix}${randomBytes(16).toString("hex")}`;
}

/** Reads the place of a row; `undefined`: it was not written by this package. */
export function readPlace(json: string): Place | undefined {
  try {
    const place = JSON.parse(json) as Partial<Place> | null;
    const isSound = typeof place?.object === "string" && Number.isSafeInteger(place.bytes);
    return isSound ? (place as Place) : undefined;
  } catch {
    return undefined;
  }
}
