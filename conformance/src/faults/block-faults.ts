import type { ContentBlock } from "@toolweave/core";
import { isObject } from "../schema/subschemas.ts";
import { readFirstBytes, isBase64, isMediaType, findActualType } from "./media.ts";

/** Finds a problem with the data of an image or audio block, as the end of a sentence. */
export function findMediaFault(block: ContentBlock): string | undefined {
  if (block.type !== "image" && block.type !== "audio") return undefined;
  if (!isBase64(block.data)) {
    return "has data that is not base64: encode the bytes in base64, without a data: prefix";
  }
  return isMediaType(block.mimeType) ? undefined : "has no media type such as image/png";
}

/** Finds a problem with the contents of a resource. */
export function findResourceFault(block: ContentBlock): string | undefined {
  if (block.type !== "resource") return undefined;
  const { text, blob } = block.resource;
  if (text !== undefined && blob !== undefined) return "has both a text and a blob";
  if (text === undefined && blob === undefined) return "has neither a text nor a blob";
  return blob === undefined || isBase64(blob) ? undefined : "has a blob that is not base64";
}

/** Finds a problem with the URI of a link or a resource. */
export function findUriFault(block: ContentBlock): string | undefined {
  const uri = getUri(block);
  return uri === undefined || URL.canParse(uri)
    ? undefined
    : "has a uri that is not an absolute URI, such as file:///notes.txt or https://example.com/a";
}

function getUri(block: ContentBlock): string | undefined {
  if (block.type === "resource_link") return block.uri;
  return block.type === "resource" ? block.resource.uri : undefined;
}

/** Finds a problem with the annotations of a block (MCP: audience, priority, lastModified). */
export function findAnnotationsFault({ annotations }: ContentBlock): string | undefined {
  if (annotations === undefined) return undefined;
  if (!isObject(annotations)) return "has annotations that are not an object";
  const { audience, priority, lastModified } = annotations as Readonly<Record<string, unknown>>;
  if (audience !== undefined && !(Array.isArray(audience) && audience.every(isAudience))) {
    return `has an audience that is not a list of "user" and "assistant"`;
  }
  if (priority !== undefined && !(typeof priority === "number" && priority >= 0 && priority <= 1)) {
    return "has a priority that is not a number from 0 to 1";
  }
  return lastModified === undefined || isDate(lastModified)
    ? undefined
    : "has a lastModified that is not an ISO 8601 date";
}

/** Finds a media type that the bytes of a block do not have. */
export function findMediaTypeFault(block: ContentBlock): string | undefined {
  const [data, type] = getBytes(block);
  if (data === undefined || type === undefined || !isBase64(data)) return undefined;
  const other = findActualType(type, readFirstBytes(data));
  return other === undefined ? undefined : `declares the media type ${type} but is ${other}`;
}

function getBytes(block: ContentBlock): readonly [data?: string, type?: string] {
  switch (block.type) {
    case "image":
    case "audio":
      return [block.data, block.mimeType];
    case "resource": {
      const { blob, mimeType } = block.resource;
      return blob === undefined || mimeType === undefined ? [] : [blob, mimeType];
    }
    default:
      return [];
  }
}

function isAudience(value: unknown): boolean {
  return value === "user" || value === "assistant";
}

function isDate(value: unknown): boolean {
  return (
    typeof value === "string" &&
    /^\d{4}-\d{2}-\d{2}/.test(value) &&
    !Number.isNaN(Date.parse(value))
  );
}
