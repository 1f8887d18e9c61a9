import { isUtf8 } from "node:buffer";
import {
  parseExact,
  roundedIntegers,
  roundedWarning,
  text,
  ToolError,
  type ArtifactRef,
  type Awaitable,
  type ContentBlock,
  type ItemStream,
  type JsonObject,
  type JsonValue,
  type ToolOutput,
} from "@toolweave/core";
import type { HttpResponse } from "@toolweave/http";
import { isJsonMediaType, isTextMediaType } from "../../document/media-type.ts";
import {
  cleanHeader,
  cleanText,
  errorDetails,
  statusLine,
  type AnsweredRequest,
} from "./answered-request.ts";
import { clipped, parsed, maxErrorText } from "./body-text.ts";
import { dispositionFileName, dispositionName } from "./content-disposition.ts";
import { failedAnswer } from "./failed-answer.ts";
import { jsonFault } from "../streams/json-fault.ts";
import { storeBytes, store } from "./stored-bytes.ts";
import { multipartParts, type AnswerPart } from "./multipart-answer.ts";
import { isHtml, htmlWords } from "./html-page.ts";
import { withoutSecrets } from "./secret-text.ts";
import { streamAnswer } from "../streams/stream-answer.ts";

/** Makes a tool's output of an answer, or a stream of items where it is one. */
export function toolOutput(
  response: HttpResponse,
  request: AnsweredRequest,
): Awaitable<ToolOutput> | ItemStream {
  const { status, mediaType, stream } = response;
  const details = errorDetails(response, request);
  if (stream !== undefined) {
    const { secrets, ctx } = request;
    const clean =
      secrets.length === 0 ? undefined : (given: string) => withoutSecrets(given, secrets);
    return streamAnswer(mediaType ?? "", stream, ctx, details, clean);
  }
  // 304 answers a condition that only the caller can have set: there is nothing new, and nothing wrong.
  if ((status < 200 || status >= 300) && status !== 304)
    return { ...failedAnswer(response, request), details };
  if (response.truncated === true) return tooLarge(response, request, details);
  const output = ofBody(response, request, decodedDetails(response, details));
  const made = status === 201 || status === 202 ? describePlace(response, request) : undefined;
  if (made === undefined || response.body.length === 0) return output;
  const withPlace = (one: ToolOutput): ToolOutput => ({
    ...one,
    content: [...one.content, text(made)],
  });
  return output instanceof Promise ? output.then(withPlace) : withPlace(output as ToolOutput);
}

function ofBody(
  response: HttpResponse,
  request: AnsweredRequest,
  details: JsonObject,
): Awaitable<ToolOutput> {
  const { mediaType } = response;
  if (response.body.length === 0) return { content: [text(emptyText(response, request))], details };
  if (mediaType !== undefined && isJsonMediaType(mediaType)) {
    const json = cleanText(response, request);
    try {
      return jsonOutput(json, parseExact(json), details);
    } catch {
      const what = `is not valid JSON (${jsonFault(json)})`;
      return unexpected(response, request, what, json, details);
    }
  }
  if (mediaType === "text/html" && request.expectsJson) {
    const page = cleanText(response, request);
    return unexpected(response, request, "is an HTML page instead of JSON", page, details);
  }
  if (mediaType === undefined || mediaType === "text/plain") {
    const plain = cleanText(response, request);
    // Servers forget to say that it is JSON.
    const value = mediaType === undefined || request.expectsJson ? parsed(plain) : undefined;
    if (value !== undefined) return jsonOutput(plain, value, details);
    if (mediaType === undefined && plain.includes("\uFFFD")) {
      return binary(response, request, details);
    }
    return { content: [text(plain)], details };
  }
  if (mediaType.startsWith("multipart/")) return multipart(response, request, details);
  if (isTextMediaType(mediaType)) {
    return { content: [text(cleanText(response, request))], details };
  }
  return binary(response, request, details);
}

/** The text has all digits; the value holds integers beyond 2^53 rounded, and the details say so. */
function jsonOutput(json: string, value: JsonValue, details: JsonObject): ToolOutput {
  const warning = roundedWarning(roundedIntegers(value));
  return {
    content: [text(json)],
    value,
    details: warning === undefined ? details : withWarning(details, warning),
  };
}

function withWarning(details: JsonObject, warning: string): JsonObject {
  const before = (details["warnings"] ?? []) as readonly JsonValue[];
  return { ...details, warnings: [...before, warning] };
}

/** Details that say so where a text has lost bytes: it is read with replacement characters. */
function decodedDetails(response: HttpResponse, details: JsonObject): JsonObject {
  const { body, mediaType, headers } = response;
  const isText =
    mediaType !== undefined && (isJsonMediaType(mediaType) || isTextMediaType(mediaType));
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(String(headers["content-type"]))?.[1];
  // In other charsets every byte is a character, or the byte order mark says which one it is.
  const isUnicode = charset === undefined || /^utf-?8$/i.test(charset);
  const hasMark = body[0] === 0xfe || body[0] === 0xff;
  if (!isText || !isUnicode || hasMark || isUtf8(body)) return details;
  const warning = "The answer is not valid UTF-8: U+FFFD stands for bytes that were lost.";
  return withWarning(details, warning);
}

/** What there is to say of an answer without a body: its status, and where the thing is that was made. */
function emptyText(response: HttpResponse, request: AnsweredRequest): string {
  return describePlace(response, request) ?? statusLine(response, request);
}

/** `201 Created, location: /things/7` */
function describePlace(response: HttpResponse, request: AnsweredRequest): string | undefined {
  const location = cleanHeader(response, "location", request);
  if (location === undefined) return undefined;
  const line = `${statusLine(response, request)}, location: ${location}`;
  return response.status === 202 ? `${line} (not done yet: that is where to look)` : line;
}

async function binary(
  response: HttpResponse,
  request: AnsweredRequest,
  details: JsonObject,
): Promise<ToolOutput> {
  const { body, mediaType = "application/octet-stream" } = response;
  const name = dispositionFileName(cleanHeader(response, "content-disposition", request));
  const { block, artifact } = await storeBytes(body, mediaType, name, request);
  return {
    content: [block],
    ...(artifact === undefined ? {} : { artifacts: [artifact] }),
    details,
  };
}

/** Each part is a block; the value is the list of them, with names and what is JSON or text. */
async function multipart(
  response: HttpResponse,
  request: AnsweredRequest,
  details: JsonObject,
): Promise<ToolOutput> {
  const parts = multipartParts(cleanHeader(response, "content-type", request) ?? "", response.body);
  if (parts === undefined) return binary(response, request, details);
  const content: ContentBlock[] = [];
  const value: JsonValue[] = [];
  const artifacts: ArtifactRef[] = [];
  for (const part of parts) {
    const { headers, body } = part;
    const disposition =
      headers["content-disposition"] &&
      withoutSecrets(headers["content-disposition"], request.secrets);
    const name = dispositionName(disposition);
    const fileName = dispositionFileName(disposition);
    const mediaType = (headers["content-type"] ?? "text/plain").split(";", 1)[0]?.trim() ?? "";
    const about: JsonObject = {
      ...(name === undefined ? {} : { name }),
      ...(fileName === undefined ? {} : { fileName }),
      mediaType,
    };
    const said = readablePart(part, mediaType.toLowerCase(), request);
    if (said !== undefined) {
      content.push(text(said));
      const json = isJsonMediaType(mediaType) ? parsed(said) : undefined;
      value.push({ ...about, value: json ?? said });
      continue;
    }
    const { block, artifact } = await storeBytes(body, mediaType.toLowerCase(), fileName, request);
    content.push(block);
    if (artifact !== undefined) artifacts.push(artifact);
    value.push({ ...about, ...(artifact === undefined ? {} : { artifact: artifact.key }) });
  }
  return { content, value, ...(artifacts.length === 0 ? {} : { artifacts }), details };
}

function readablePart(
  { headers, body }: AnswerPart,
  mediaType: string,
  { secrets }: AnsweredRequest,
): string | undefined {
  if (!isJsonMediaType(mediaType) && !isTextMediaType(mediaType)) return undefined;
  // How it was encoded for mail is not undone: then it is no text.
  if (!/^(?:7bit|8bit|binary)?$/i.test(headers["content-transfer-encoding"] ?? ""))
    return undefined;
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers["content-type"] ?? "")?.[1];
  try {
    return withoutSecrets(new TextDecoder(charset ?? "utf-8").decode(body), secrets);
  } catch {
    return withoutSecrets(new TextDecoder().decode(body), secrets);
  }
}

/** More than is taken: what came first is kept for whoever wants to look, and is no answer. */
async function tooLarge(
  response: HttpResponse,
  request: AnsweredRequest,
  details: JsonObject,
): Promise<ToolOutput> {
  const { body, mediaType = "application/octet-stream", status } = response;
  const name = dispositionFileName(cleanHeader(response, "content-disposition", request));
  const kept = await store(body, mediaType, name, request.ctx);
  const what = kept === undefined ? "" : ` Its beginning is kept as ${kept.key}.`;
  const message = `${statusLine(response, request)}, but the answer is larger than ${body.length} bytes, which is all that is taken: ask for less.${done(request)}${what}`;
  const error = new ToolError("upstream", `${request.operation} answered ${message}`, { status });
  return {
    content: [text(message)],
    isError: true,
    error,
    ...(kept === undefined ? {} : { artifacts: [kept] }),
    details,
  };
}

/** A success that is not what it should be. What is too long to be shown is kept. */
async function unexpected(
  response: HttpResponse,
  request: AnsweredRequest,
  what: string,
  body: string,
  details: JsonObject,
): Promise<ToolOutput> {
  const html = isHtml(response.mediaType, body);
  const wrong = html ? "is an HTML page instead of JSON" : what;
  const said = html
    ? htmlWords(body, response, request.secrets, " It says: ")
    : ` It begins: ${clipped(body, 500)}`;
  const raw =
    body.length <= maxErrorText
      ? undefined
      : await store(body, html ? "text/html" : "text/plain", undefined, request.ctx);
  const message = `${statusLine(response, request)}, but the answer ${wrong}.${done(request)}${said}`;
  const error = new ToolError("upstream", `${request.operation} answered ${message}`, {
    status: response.status,
    body: clipped(body),
  });
  return {
    content: [text(message)],
    isError: true,
    error,
    ...(raw === undefined ? {} : { artifacts: [raw] }),
    details,
  };
}

function done({ writes }: AnsweredRequest): string {
  return writes
    ? " The request was accepted and may have taken effect: check before repeating it."
    : "";
}
