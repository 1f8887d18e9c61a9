import type { ContentBlock } from "@toolweave/core";
import { isObject } from "../schema/subschemas.ts";
import { beginningOf, isBase64, isMediaType, otherType } from "./media.ts";

/** What is wrong with the data of an image or a sound, as the end of a sentence. */
export function mediaFault(block: ContentBlock): string | undefined {
  if (block.type !== "image" && block.type !== "audio") return undefined;
  if (!isBase64(block.data)) {
    return "has data that is not base64: give the bytes in base64, without a data: prefix";
  }
  return isMediaType(block.mimeType) ? undefined : "has no media type such as image/png";
}

/** What is wrong with what a resource holds. */
export function resourceFault(block: ContentBlock): string | undefined {
  if (block.type !== "resource") return undefined;
  const { text, blob } = block.resource;
  if (text !== undefined && blob !== undefined) return "has both a text and a blob";
  if (text === undefined && blob === undefined) return "has neither a text nor a blob";
  return blob === undefined || isBase64(blob) ? undefined : "has a blob that is not base64";
}

/** What is wrong with where a link or a resource is. */
export function uriFault(block: ContentBlock): string | undefined {
  const uri = uriOf(block);
  return uri === undefined || URL.canParse(uri)
    ? undefined
    : "has a uri that is no absolute URI, such as file:///notes.txt or https://example.com/a";
}

function uriOf(block: ContentBlock): string | undefined {
  if (block.type === "resource_link") return block.uri;
  return block.type === "resource" ? block.resource.uri : undefined;
}

/** What is wrong with whom a block is for and how much it matters. */
export function annotationsFault({ annotations }: ContentBlock): string | undefined {
  if (annotations === undefined) return undefined;
  if (!isObject(annotations)) return "has annotations that are no object";
  const { audience, priority, lastModified } = annotations as Readonly<Record<string, unknown>>;
  if (audience !== undefined && !(Array.isArray(audience) && audience.every(isReader))) {
    return `has an audience that is no list of "user" and "assistant"`;
  }
  if (priority !== undefined && !(typeof priority === "number" && priority >= 0 && priority <= 1)) {
    return "has a priority that is no number from 0 to 1";
  }
  return lastModified === undefined || isMoment(lastModified)
    ? undefined
    : "was last modified at what is no ISO 8601 date";
}

/** What a block calls its bytes that they are not. */
export function misnamedFault(block: ContentBlock): string | undefined {
  const [data, type] = bytesOf(block);
  if (data === undefined || type === undefined || !isBase64(data)) return undefined;
  const other = otherType(type, beginningOf(data));
  return other === undefined ? undefined : `is called ${type} and is ${other}`;
}

function bytesOf(block: ContentBlock): readonly [data?: string, type?: string] {
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

function isReader(value: unknown): boolean {
  return value === "user" || value === "assistant";
}

function isMoment(value: unknown): boolean {
  return (
    typeof value === "string" &&
    /^\d{4}-\d{2}-\d{2}/.test(value) &&
    !Number.isNaN(Date.parse(value))
  );
}
