import { truncateUtf8, utf8Length } from "../text/truncate-utf8.ts";
import type { ArtifactRef } from "../contract/tool-result.ts";

/** Maximum bytes of the note about one artifact. */
export const pointerBytes = 320;

/** The note about an artifact for a model, in at most `limit` bytes: its key, type and size, and how to read it. */
export function pointer(ref: ArtifactRef, limit: number, display: PreviewedArtifact = {}): string {
  const { key, mediaType, size, name, truncated } = ref;
  const { offset = 0, isPreview, about } = display;
  const called = name === undefined ? "" : ` ${JSON.stringify(truncateUtf8(name, 40))}`;
  const cut = truncated === true ? ", cut off: the rest is lost" : "";
  const what = `${about ?? "artifact"} ${key}:${called} ${truncateUtf8(mediaType, 60)}, ${size} bytes${cut}`;
  const read = `read_artifact {"key":"${key}"${offset > 0 ? `,"offset":${offset}` : ""}}`;
  const how =
    isPreview === true
      ? `a preview is shown; read it with ${read}, or a part with "path"`
      : offset > 0
        ? `${offset} are shown; read on with ${read}`
        : `read it with ${read}`;
  const long = `[${what}; ${how}]`;
  if (utf8Length(long) <= Math.min(limit, pointerBytes)) return long;
  const short = `[stored: ${read}]`;
  return short.length <= limit ? short : truncateUtf8(key, limit);
}

/** The part of an artifact that is shown before the note. */
export interface PreviewedArtifact {
  /** Number of bytes that are shown from its start. */
  readonly offset?: number;
  /** A preview of the whole is shown. */
  readonly isPreview?: boolean;
  /** Instead of "artifact". */
  readonly about?: string;
}
