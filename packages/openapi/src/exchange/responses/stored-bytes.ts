import { isUtf8 } from "node:buffer";
import { text, ToolError, displayText, type ArtifactRef, type ContentBlock } from "@toolweave/core";
import type { SentRequest } from "./sent-request.ts";
import { visibleText } from "@toolweave/core/adapter";
import { getTextParameter, parseFieldValue } from "@toolweave/http/fields";

/** Larger data is never converted to base64, which would hold it twice more in memory. */
const maxEmbedded = 262_144;

/** Bytes in a form that a model and a host can use. */
export interface StoredBytes {
  readonly block: ContentBlock;
  readonly artifact?: ArtifactRef;
}

/**
 * Converts the bytes of an answer: an image or audio becomes a block; data that is large or has a file name is stored
 * at once, under that name; other data becomes an embedded resource, which the executor stores.
 */
export async function storeBytes(
  bytes: Uint8Array,
  mimeType: string,
  name: string | undefined,
  { ctx, url }: SentRequest,
): Promise<StoredBytes> {
  const kind = /^(image|audio)\//.exec(mimeType)?.[1] as "image" | "audio" | undefined;
  if (kind === undefined && (name !== undefined || bytes.length > maxEmbedded)) {
    const fileName = name ?? nameFromUrl(url);
    const artifact = await tryStore(bytes, mimeType, fileName, ctx);
    if (artifact !== undefined) {
      const called = fileName === undefined ? "" : `${JSON.stringify(fileName)}: `;
      return { block: text(`${called}${mimeType}, ${bytes.length} bytes`), artifact };
    }
  }
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  if (kind !== undefined) return { block: { type: kind, data, mimeType } };
  return { block: { type: "resource", resource: { uri: url, mimeType, blob: data } } };
}

/** Returns the last part of the path, after which embedded resources are also named. */
function nameFromUrl(url: string): string | undefined {
  const last = URL.parse(url)?.pathname.split("/").at(-1) ?? "";
  try {
    return sanitizeFileName(decodeURIComponent(last));
  } catch {
    return undefined;
  }
}

/** Stores data as an artifact; returns nothing if the store is full or unavailable. */
export async function tryStore(
  data: string | Uint8Array,
  mediaType: string,
  name: string | undefined,
  { artifacts }: SentRequest["ctx"],
): Promise<ArtifactRef | undefined> {
  try {
    return await artifacts.write(data, { mediaType, ...(name === undefined ? {} : { name }) });
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    if (error.code === "store_unavailable" || error.code === "limit_exceeded") return undefined;
    throw error;
  }
}

const maxNameLength = 120;

/**
 * Returns the file name in a `Content-Disposition` header (RFC 6266): `filename*` before `filename`; the last part of a
 * path, without control characters, and at most 120 characters. `undefined`: there is no usable name.
 */
export function parseFileName(header: string | undefined): string | undefined {
  const said = getDispositionParameter(header, "filename");
  return said === undefined ? undefined : sanitizeFileName(said);
}

/** Returns the name of a part in `Content-Disposition: form-data; name="…"`. */
export function parsePartName(header: string | undefined): string | undefined {
  return getDispositionParameter(header, "name");
}

/** Header fields arrive as Latin-1, but servers send UTF-8. */
function getDispositionParameter(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  const text = getTextParameter(parseFieldValue(header).parameters, name);
  if (text === undefined || !/^[\0-\u00ff]*[\u0080-\u00ff]/.test(text)) return text;
  const bytes = Buffer.from(text, "latin1");
  return isUtf8(bytes) ? bytes.toString() : text;
}

/**
 * Sanitizes a file name: the last part of a path, without characters that control a path or a terminal. `undefined`: no
 * character remains.
 */
function sanitizeFileName(said: string): string | undefined {
  const last = said.split(/[/\\]/).at(-1) ?? "";
  const clean = Array.from(visibleText(last))
    .filter((character) => displayText(character) === character)
    .join("")
    .replace(/[\t\n\r<>:"|?*]/g, "")
    .trim()
    .replace(/^\.+/, "");
  if (clean === "") return undefined;
  if (clean.length <= maxNameLength) return clean;
  return clean.slice(-maxNameLength).replace(/^[\udc00-\udfff]/, "");
}
