import type { JsonObject, JsonValue, Metadata } from "../json/json.ts";

/** The audience and the importance of a block (MCP 2025-11-25, server/tools, annotations). */
export interface ContentAnnotations {
  readonly audience?: readonly ("user" | "assistant")[];
  readonly priority?: number;
  readonly lastModified?: string;
}

interface BlockBase {
  readonly annotations?: ContentAnnotations;
  readonly _meta?: Metadata;
}

/** Plain text. */
export interface TextBlock extends BlockBase {
  readonly type: "text";
  readonly text: string;
}

/** An image: base64 `data` and its media type. */
export interface ImageBlock extends BlockBase {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
}

/** A sound: base64 `data` and its media type. */
export interface AudioBlock extends BlockBase {
  readonly type: "audio";
  readonly data: string;
  readonly mimeType: string;
}

/** A link to something that can be read elsewhere. */
export interface ResourceLinkBlock extends BlockBase {
  readonly type: "resource_link";
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
}

/** An embedded resource: text, or base64 `blob`. */
export interface ResourceBlock extends BlockBase {
  readonly type: "resource";
  readonly resource: {
    readonly uri: string;
    readonly mimeType?: string;
    readonly text?: string;
    readonly blob?: string;
    readonly _meta?: Metadata;
  };
}

/**
 * One piece of what a tool answers, in MCP's words.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result
 */
export type ContentBlock = TextBlock | ImageBlock | AudioBlock | ResourceLinkBlock | ResourceBlock;

/** Makes a text block. */
export function text(value: string): TextBlock {
  return { type: "text", text: value };
}

/** True when `value` is a well-formed content block. */
export function isContentBlock(value: unknown): value is ContentBlock {
  if (typeof value !== "object" || value === null) return false;
  const block = value as JsonObject;
  switch (block["type"]) {
    case "text":
      return typeof block["text"] === "string";
    case "image":
    case "audio":
      return typeof block["data"] === "string" && typeof block["mimeType"] === "string";
    case "resource_link": {
      const { uri, name, title = "", description = "", mimeType = "" } = block;
      return [uri, name, title, description, mimeType].every(isText);
    }
    case "resource": {
      const resource = block["resource"] as JsonValue | undefined;
      if (typeof resource !== "object" || resource === null) return false;
      const { uri, text = "", blob = "", mimeType = "" } = resource as JsonObject;
      return [uri, text, blob, mimeType].every(isText);
    }
    default:
      return false;
  }
}

function isText(part: unknown): boolean {
  return typeof part === "string";
}
