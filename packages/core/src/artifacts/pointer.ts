import { truncateUtf8, utf8Length } from "../text/truncate-utf8.ts";
import type { ArtifactRef } from "../contract/tool-result.ts";

/** No note about one artifact takes more bytes. */
export const pointerBytes = 320;

/** What a model is told of an artifact, in at most `limit` bytes: what it is, and how to read on. */
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

/** How much of an artifact stands before the note. */
export interface PreviewedArtifact {
  /** Its first bytes. */
  readonly offset?: number;
  /** Something that tells of the whole. */
  readonly isPreview?: boolean;
  /** Instead of "artifact". */
  readonly about?: string;
}
