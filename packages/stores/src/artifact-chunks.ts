import { setImmediate as turn } from "node:timers/promises";
import type { ToolError } from "@toolweave/core";
import { endOfRange } from "./described-artifact.ts";

/** Bytes in a row, so that a page of a large artifact is read without the rest. */
export const chunkBytes = 262_144;

/** Chunks that are written or read before others get a turn. */
export const chunksAtOnce = 4;

/** A row of a database with a part of an artifact. Both are `null` if the artifact has none of the requested chunks. */
export interface ChunkRow {
  readonly chunk: number | null;
  readonly bytes: Uint8Array | null;
}

/** Where the chunks of an artifact are. */
export interface ChunkSource {
  /** The number of bytes of the artifact. */
  readonly size: number;
  /** Reads chunks in their order, `last` included. Empty: the artifact was removed. */
  readonly rows: (first: number, last: number) => Promise<readonly ChunkRow[]>;
  /** The error for rows that contradict the size. */
  readonly damaged: () => ToolError;
}

/**
 * Reads a part of an artifact.
 *
 * @returns `undefined` if the artifact was removed meanwhile.
 * @throws ToolError `internal` for what is no range.
 */
export async function readChunks(
  { size, rows, damaged }: ChunkSource,
  offset: number,
  length: number,
): Promise<Uint8Array | undefined> {
  const end = endOfRange(size, offset, length);
  const data = new Uint8Array(end - offset);
  for (let from = offset; from < end;) {
    let chunk = Math.floor(from / chunkBytes);
    const next = Math.min(chunk + chunksAtOnce, Math.ceil(end / chunkBytes));
    const read = await rows(chunk, next - 1);
    if (read.length === 0) return undefined;
    for (const row of read) {
      const start = chunk * chunkBytes;
      const isComplete = row.bytes?.length === Math.min(chunkBytes, size - start);
      if (row.bytes === null || row.chunk !== chunk || !isComplete) throw damaged();
      const skipped = Math.max(0, offset - start);
      data.set(row.bytes.subarray(skipped, end - start), start + skipped - offset);
      chunk++;
    }
    if (chunk !== next) throw damaged();
    from = next * chunkBytes;
    if (from < end) await turn();
  }
  return data;
}
