import { text, ToolError, type ArtifactRef, type ContentBlock } from "@toolweave/core";
import type { AnsweredRequest } from "./answered-request.ts";
import { safeFileName } from "./content-disposition.ts";

/** Above this a detour over base64, which holds it twice more, is not taken. */
const maxEmbedded = 262_144;

/** Bytes as what a model and a host can use. */
export interface StoredBytes {
  readonly block: ContentBlock;
  readonly artifact?: ArtifactRef;
}

/**
 * Bytes of an answer: an image or a sound is a block; what is large or has a file name is stored at once, under that
 * name; the rest is an embedded resource, which the executor stores.
 */
export async function storeBytes(
  bytes: Uint8Array,
  mimeType: string,
  name: string | undefined,
  { ctx, url }: AnsweredRequest,
): Promise<StoredBytes> {
  const kind = /^(image|audio)\//.exec(mimeType)?.[1] as "image" | "audio" | undefined;
  if (kind === undefined && (name !== undefined || bytes.length > maxEmbedded)) {
    const fileName = name ?? nameIn(url);
    const artifact = await store(bytes, mimeType, fileName, ctx);
    if (artifact !== undefined) {
      const called = fileName === undefined ? "" : `${JSON.stringify(fileName)}: `;
      return { block: text(`${called}${mimeType}, ${bytes.length} bytes`), artifact };
    }
  }
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  if (kind !== undefined) return { block: { type: kind, data, mimeType } };
  return { block: { type: "resource", resource: { uri: url, mimeType, blob: data } } };
}

/** The last part of the path, as embedded resources are named after theirs, too. */
function nameIn(url: string): string | undefined {
  const last = URL.parse(url)?.pathname.split("/").at(-1) ?? "";
  try {
    return safeFileName(decodeURIComponent(last));
  } catch {
    return undefined;
  }
}

/** The artifact that now holds the data; nothing when the store has no room for it, or is not there. */
export async function store(
  data: string | Uint8Array,
  mediaType: string,
  name: string | undefined,
  { artifacts }: AnsweredRequest["ctx"],
): Promise<ArtifactRef | undefined> {
  try {
    return await artifacts.write(data, { mediaType, ...(name === undefined ? {} : { name }) });
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    if (error.code === "store_unavailable" || error.code === "limit_exceeded") return undefined;
    throw error;
  }
}
