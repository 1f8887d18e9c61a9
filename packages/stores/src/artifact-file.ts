import { open, type FileHandle } from "node:fs/promises";
import type { StoredArtifact } from "@toolweave/core/stores";
import { descriptionOf, maxDescription } from "./described-artifact.ts";
import { readFlags } from "./private-file.ts";

/**
 * The first bytes of such a file. The length of the description follows in 4 bytes, then the description, then the
 * data.
 */
const magic = Buffer.from("TWA1");
const preambleBytes = magic.length + 4;

/** Enough for nearly every description. */
const firstReadBytes = 4096;

/** The bytes before those of an artifact: one file holds both, so that they cannot disagree. */
export function artifactHead(json: string): Uint8Array {
  const description = Buffer.from(json);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(description.length);
  return Buffer.concat([magic, length, description]);
}

/** An artifact's open file: what it is, and where its bytes begin. */
export interface OpenArtifact {
  readonly handle: FileHandle;
  readonly artifact: StoredArtifact;
  readonly dataOffset: number;
}

/**
 * Calls `work` with the file of an artifact. `undefined`: there is no such file.
 *
 * @throws the system's error; `damaged()` when the file is not that artifact, or incomplete.
 */
export async function withArtifact<T>(
  path: string,
  key: string,
  damaged: () => Error,
  work: (file: OpenArtifact) => T | Promise<T>,
): Promise<T | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, readFlags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw code === "ELOOP" ? damaged() : error;
  }
  try {
    const file = await openArtifact(handle, key);
    if (file === undefined) throw damaged();
    return await work(file);
  } finally {
    await handle.close();
  }
}

/** Up to `length` bytes from `position` on; fewer where the file ends. */
export async function readBytes(
  handle: FileHandle,
  position: number,
  length: number,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) return bytes.subarray(0, filled);
    filled += bytesRead;
  }
  return bytes;
}

async function openArtifact(handle: FileHandle, key: string): Promise<OpenArtifact | undefined> {
  const stat = await handle.stat();
  if (!stat.isFile()) return undefined;
  let head = Buffer.from(await readBytes(handle, 0, Math.min(firstReadBytes, stat.size)));
  if (head.length < preambleBytes || !head.subarray(0, magic.length).equals(magic)) {
    return undefined;
  }
  const length = head.readUInt32LE(magic.length);
  const dataOffset = preambleBytes + length;
  if (length > maxDescription || dataOffset > stat.size) return undefined;
  if (head.length < dataOffset) head = Buffer.from(await readBytes(handle, 0, dataOffset));
  const artifact = descriptionOf(key, head.toString("utf8", preambleBytes, dataOffset));
  if (artifact === undefined || dataOffset + artifact.size !== stat.size) return undefined;
  return { handle, artifact, dataOffset };
}
