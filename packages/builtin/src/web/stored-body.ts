import { ToolError, type ArtifactRef, type ToolContext } from "@toolweave/core";
import { isReadableMediaType } from "@toolweave/core/adapter";
import type { HttpResponse } from "@toolweave/http";

/** Bytes of an answer that is stored. */
export const maxStored = 52_428_800;

/** Selects the answers that are not read as text: they are streamed into an artifact. */
export function isStored(_status: number, mediaType: string | undefined): boolean {
  return mediaType !== undefined && !isReadableMediaType(mediaType);
}

/**
 * Stores the body of an answer as an artifact.
 *
 * @param name for the artifact. Default: the last part of the path.
 */
export async function storeBody(
  ctx: ToolContext,
  response: HttpResponse,
  name?: string,
): Promise<ArtifactRef> {
  const { stream, body, mediaType = "application/octet-stream", url } = response;
  const named = name ?? URL.parse(url)?.pathname.split("/").at(-1) ?? "";
  try {
    return await ctx.artifacts.write(stream ?? body, {
      mediaType,
      ...(named === "" ? {} : { name: named }),
    });
  } catch (error) {
    if (ToolError.is(error)) throw error;
    throw new ToolError("upstream", "The answer ended before it was complete.", { cause: error });
  }
}

/** Describes a stored body for a model. */
export function describeStored({ mediaType, size, key }: ArtifactRef): string {
  return `[${mediaType}, ${size} bytes, stored as artifact ${key}]`;
}
