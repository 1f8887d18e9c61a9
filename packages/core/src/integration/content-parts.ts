import type { ContentBlock, TextBlock } from "../contract/content-block.ts";
import { displayProse } from "../contract/display-text.ts";
import type { Interruption, InterruptionRequest } from "../contract/interruption.ts";
import { ToolError } from "../contract/tool-error.ts";
import type { CompletedOutcome, FailedOutcome } from "../contract/tool-result.ts";

/** A text as every framework takes it. */
export type TextPart = Pick<TextBlock, "type" | "text">;

/** A file in the content of a result: an image, a sound, or a binary resource. */
export interface ContentFile {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
  /** The URI of the resource. Absent: the tool gave none. */
  readonly uri?: string;
}

/** Converts a file to a part of a framework; `undefined`: the framework cannot give it to a model. */
export type ToFilePart<Part> = (file: ContentFile) => Part | undefined;

/**
 * The media types of images that all large providers accept. With another type a provider rejects the request, and
 * every later one of the conversation.
 */
export const imageTypes: ReadonlySet<string> = new Set([
  "image/gif",
  "image/jpeg",
  "image/png",
  "image/webp",
]);

/** Some models reject a result without a text. */
const noOutput = "(no output)";

/**
 * Converts the content of a result to the parts of a framework. A file that the framework cannot give to a model
 * becomes a text that names it, with its size. A link becomes a text: a provider would download what a tool chose.
 * Empty texts are omitted, and there is always at least one part.
 */
export function contentParts<Part extends object>(
  content: readonly ContentBlock[],
  toFilePart: ToFilePart<Part>,
): (TextPart | Part)[] {
  const parts = textsAndFiles(content, toFilePart);
  return (parts.length === 0 ? [noOutput] : parts).map((part) =>
    typeof part === "string" ? { type: "text", text: part } : part,
  );
}

/** Converts the content of a result to one text, or to parts if there is a file that the framework takes. Never empty. */
export function modelContent(content: readonly ContentBlock[]): string;
export function modelContent<Part extends object>(
  content: readonly ContentBlock[],
  toFilePart: ToFilePart<Part>,
): string | (TextPart | Part)[];
export function modelContent<Part extends object>(
  content: readonly ContentBlock[],
  toFilePart: ToFilePart<Part> = () => undefined,
): string | (TextPart | Part)[] {
  const parts = contentParts(content, toFilePart);
  const texts = parts.flatMap((part) => (isTextPart(part) ? [part.text] : []));
  return texts.length === parts.length ? texts.join("\n") : parts;
}

/** The content as one text that names its files. Empty if the content is. */
export function contentText(content: readonly ContentBlock[]): string {
  return textsAndFiles(content, () => undefined).join("\n");
}

/** The last segment of a file's URI, without query and fragment. */
export function fileName({ uri = "" }: ContentFile): string | undefined {
  const name = uri
    .replace(/[?#].*$/s, "")
    .split(/[/\\]/)
    .at(-1);
  return name === "" ? undefined : name;
}

function textsAndFiles<Part extends object>(
  content: readonly ContentBlock[],
  toFilePart: ToFilePart<Part>,
): (string | Part)[] {
  return content
    .map((block) => {
      const part = textOrFile(block);
      return typeof part === "string" ? part : (toFilePart(part) ?? fileNote(part));
    })
    .filter((part) => part !== "");
}

function textOrFile(block: ContentBlock): string | ContentFile {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return { mediaType: block.mimeType, data: block.data };
    case "resource": {
      const { uri, mimeType = "application/octet-stream", text, blob } = block.resource;
      return blob === undefined ? (text ?? uri) : { mediaType: mimeType, data: blob, uri };
    }
    case "resource_link": {
      const { name, uri, description } = block;
      return `${name}: ${uri}${description ? ` (${description})` : ""}`;
    }
  }
}

function fileNote({ mediaType, data, uri }: ContentFile): string {
  const padding = /=*$/.exec(data)?.[0].length ?? 0;
  const bytes = Math.floor((data.length * 3) / 4) - padding;
  const size = bytes === 1 ? "1 byte" : `${bytes} bytes`;
  return `[${uri === undefined ? "" : `${uri}, `}${mediaType}, ${size}, not shown]`;
}

function isTextPart(part: object): part is TextPart {
  return "type" in part && part.type === "text" && "text" in part;
}

/** The maximum number of characters about what a call waits for. */
const maxLength = 500;

/**
 * The text for a model about a call that waits for what the framework cannot request.
 *
 * @param nextStep the instruction to the model. Default: to continue without the result.
 */
export function waitingText(
  { call, requests }: Interruption,
  nextStep = "Do not call it again; continue without its result and say what it waits for.",
): string {
  const needs = displayProse(requests.map(requestText).join("; "), maxLength);
  const stop = /[.!?…。！？]\s*$/u.test(needs) ? "" : ".";
  return `${call.name} is not finished: it waits for ${needs}${stop} ${nextStep}`;
}

/** The text for a model about a call without the approval that it needs. */
export function notApprovedText(name: string): string {
  return (
    `${name} was not run now: it needs a person's approval, and this call has none that is valid. ` +
    `An approval counts once, and only for the arguments that were displayed. ` +
    `(One that another process has requested may not be known here: its program continues the stored call with executor.resume.) ` +
    `If it has not been done already, call ${name} again to request a new approval.`
  );
}

function requestText(request: InterruptionRequest): string {
  if (request.type === "approval") return `approval: ${displayProse(request.permission.summary)}`;
  if (request.type === "result") return "a result from the host";
  return `${request.type}: ${displayProse(request.message)}`;
}

/**
 * A `ToolError` for a framework that gives the model `String(error)`, or logs it: for other errors that begins with the
 * name of their class.
 */
export class ToolFailure extends ToolError {
  override toString(): string {
    return this.message;
  }
}

/**
 * Creates the error with which a call ends in a framework. Its message is all that the model may read.
 *
 * @param withHostDetails keeps `cause` and `body`, which a model must not read. Leave it out if the framework stores or
 * streams its errors.
 */
export function toToolFailure(
  { result, error }: CompletedOutcome | FailedOutcome,
  withHostDetails = false,
): ToolFailure {
  const text = contentText(result.content);
  if (error === undefined) return new ToolFailure("execution_failed", text);
  const { code, message, cause, retryable, audience, status, body, retryAfterMs } = error;
  return new ToolFailure(code, text === "" ? message : text, {
    ...(withHostDetails && { cause: text === message ? cause : error }),
    ...(withHostDetails && body !== undefined && { body }),
    retryable,
    audience,
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}
