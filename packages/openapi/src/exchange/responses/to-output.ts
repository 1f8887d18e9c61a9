import {
  text,
  ToolError,
  type ArtifactRef,
  type Awaitable,
  type ContentBlock,
  type JsonObject,
  type JsonValue,
  type ToolOutput,
} from "@toolweave/core";
import {
  getMediaTypeName,
  type ItemStream,
  isJsonMediaType,
  isReadableMediaType,
  roundedIntegers,
  roundedWarning,
  sniffMediaType,
} from "@toolweave/core/adapter";
import { isUtf8 } from "node:buffer";
import { decodeText, type HttpResponse } from "@toolweave/http";
import { parseFieldValue } from "@toolweave/http/fields";
import {
  getHeader,
  redactedHeader,
  toDetails,
  formatStatus,
  type SentRequest,
  redactSecrets,
} from "./sent-request.ts";
import { truncateBody, maxErrorText, toErrorOutput } from "./error-output.ts";
import { parseFileName, parsePartName, storeBytes, tryStore } from "./stored-bytes.ts";
import { parseJsonTexts } from "../streams/json-texts.ts";
import { readBody } from "./read-body.ts";
import { parseParts, type ResponsePart } from "./multipart-response.ts";
import { isHtml, formatMessage } from "./html-page.ts";
import { toItemStream } from "../streams/stream-response.ts";

/** Converts an answer to a tool's output, or to a stream of items. */
export function toOutput(
  response: HttpResponse,
  request: SentRequest,
): Awaitable<ToolOutput> | ItemStream {
  const { status, mediaType, stream } = response;
  const details = toDetails(response, request);
  if (stream !== undefined) {
    const { secrets, ctx } = request;
    const clean =
      secrets.length === 0 ? undefined : (given: string) => redactSecrets(given, secrets);
    return toItemStream(mediaType ?? "", stream, ctx, details, clean);
  }
  // 304 answers a condition that only the caller can have set: the resource is unchanged, which is not an error.
  if ((status < 200 || status >= 300) && status !== 304)
    return { ...toErrorOutput(response, request), details };
  if (response.truncated === true) return tooLargeOutput(response, request, details);
  const output = bodyToOutput(response, request, withDecodingWarning(response, details));
  const made = status === 201 || status === 202 ? formatLocation(response, request) : undefined;
  if (made === undefined || response.body.length === 0) return output;
  const withPlace = (one: ToolOutput): ToolOutput => ({
    ...one,
    content: [...one.content, text(made)],
  });
  return output instanceof Promise ? output.then(withPlace) : withPlace(output as ToolOutput);
}

function bodyToOutput(
  response: HttpResponse,
  request: SentRequest,
  details: JsonObject,
): Awaitable<ToolOutput> {
  const { status, mediaType, body } = response;
  if (body.length === 0) return { content: [text(formatEmpty(response, request))], details };
  if (mediaType?.startsWith("multipart/") === true) {
    return multipartToOutput(response, request, details);
  }
  const disposition = getHeader(response, "content-disposition");
  const content = readBody({
    bytes: body,
    contentType: getHeader(response, "content-type"),
    isAttachment:
      disposition !== undefined && /^attachment$/i.test(parseFieldValue(disposition).value),
    declared: () => request.declared(status).media,
    clean: (given) => redactSecrets(given, request.secrets),
  });
  switch (content.kind) {
    case "json":
      return jsonToOutput(content.text, content.value, details);
    case "text":
      return { content: [text(content.text)], details };
    case "invalid":
      return unexpectedOutput(response, request, content.fault, content.text, details);
    case "bytes":
      return bytesToOutput(response, request, details, content.mediaType);
  }
}

/** The text has all digits; in the value, integers beyond 2^53 are rounded, and the details contain a warning. */
function jsonToOutput(json: string, value: JsonValue, details: JsonObject): ToolOutput {
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

/** Adds a warning to the details if a text has invalid bytes, which are decoded as replacement characters. */
function withDecodingWarning(response: HttpResponse, details: JsonObject): JsonObject {
  const { body, mediaType } = response;
  if (isUtf8(body) || mediaType === undefined || !isReadableMediaType(mediaType)) return details;
  if (sniffMediaType(body) !== undefined) return details;
  // In most other charsets, every byte is a character.
  if (!response.text().includes("\uFFFD")) return details;
  const warning = "The answer is not valid UTF-8: U+FFFD replaces the invalid bytes.";
  return withWarning(details, warning);
}

/** Formats an answer without a body: its status, and the location of the created resource. */
function formatEmpty(response: HttpResponse, request: SentRequest): string {
  return formatLocation(response, request) ?? formatStatus(response, request);
}

/** Formats the location of a resource: `201 Created, location: /things/7`. */
function formatLocation(response: HttpResponse, request: SentRequest): string | undefined {
  const location = redactedHeader(response, "location", request);
  if (location === undefined) return undefined;
  const line = `${formatStatus(response, request)}, location: ${location}`;
  return response.status === 202 ? `${line} (not complete yet: check that location)` : line;
}

/** @param sniffed the type of the bytes, if they contradict their label. */
async function bytesToOutput(
  response: HttpResponse,
  request: SentRequest,
  details: JsonObject,
  sniffed?: string,
): Promise<ToolOutput> {
  const { body } = response;
  const mediaType = sniffed ?? response.mediaType ?? "application/octet-stream";
  const warning = `The answer is labelled ${response.mediaType}, but it is ${sniffed}.`;
  const name = parseFileName(redactedHeader(response, "content-disposition", request));
  const { block, artifact } = await storeBytes(body, mediaType, name, request);
  return {
    content: [block],
    ...(artifact === undefined ? {} : { artifacts: [artifact] }),
    details: sniffed === undefined ? details : withWarning(details, warning),
  };
}

/** Converts each part to a block; the value is the list of parts, with names and with their JSON or text. */
async function multipartToOutput(
  response: HttpResponse,
  request: SentRequest,
  details: JsonObject,
): Promise<ToolOutput> {
  const parts = parseParts(redactedHeader(response, "content-type", request) ?? "", response.body);
  if (parts === undefined) return bytesToOutput(response, request, details);
  const content: ContentBlock[] = [];
  const value: JsonValue[] = [];
  const artifacts: ArtifactRef[] = [];
  for (const part of parts) {
    const { headers, body } = part;
    const disposition =
      headers["content-disposition"] &&
      redactSecrets(headers["content-disposition"], request.secrets);
    const name = parsePartName(disposition);
    const fileName = parseFileName(disposition);
    const mediaType = getMediaTypeName(headers["content-type"] ?? "text/plain");
    const about: JsonObject = {
      ...(name === undefined ? {} : { name }),
      ...(fileName === undefined ? {} : { fileName }),
      mediaType,
    };
    const said = decodePart(part, mediaType, request);
    if (said !== undefined) {
      const json = isJsonMediaType(mediaType) ? parseJsonTexts(said, true) : undefined;
      content.push(text(json?.text ?? said));
      value.push({ ...about, value: json?.value ?? said });
      continue;
    }
    const { block, artifact } = await storeBytes(body, mediaType, fileName, request);
    content.push(block);
    if (artifact !== undefined) artifacts.push(artifact);
    value.push({ ...about, ...(artifact === undefined ? {} : { artifact: artifact.key }) });
  }
  return { content, value, ...(artifacts.length === 0 ? {} : { artifacts }), details };
}

function decodePart(
  { headers, body }: ResponsePart,
  mediaType: string,
  { secrets }: SentRequest,
): string | undefined {
  if (!isReadableMediaType(mediaType)) return undefined;
  // Mail transfer encodings are not decoded: such a part is returned as bytes.
  if (!/^(?:7bit|8bit|binary)?$/i.test(headers["content-transfer-encoding"] ?? ""))
    return undefined;
  return redactSecrets(decodeText(body, headers["content-type"]), secrets);
}

/** Handles an answer that exceeds the limit: its beginning is stored for the host, and the result is an error. */
async function tooLargeOutput(
  response: HttpResponse,
  request: SentRequest,
  details: JsonObject,
): Promise<ToolOutput> {
  const { body, mediaType = "application/octet-stream", status } = response;
  const name = parseFileName(redactedHeader(response, "content-disposition", request));
  const kept = await tryStore(body, mediaType, name, request.ctx);
  const what = kept === undefined ? "" : ` Its beginning is stored as ${kept.key}.`;
  const message = `${formatStatus(response, request)}, but the answer is larger than the maximum of ${body.length} bytes: request less.${formatSideEffect(request)}${what}`;
  const error = new ToolError("upstream", `${request.operation} answered ${message}`, { status });
  return {
    content: [text(message)],
    isError: true,
    error,
    ...(kept === undefined ? {} : { artifacts: [kept] }),
    details,
  };
}

/** Handles a success with an unexpected body. A body that is too long for the error is stored. */
async function unexpectedOutput(
  response: HttpResponse,
  request: SentRequest,
  what: string,
  body: string,
  details: JsonObject,
): Promise<ToolOutput> {
  const html = isHtml(response.mediaType, body);
  const wrong = html ? "is an HTML page instead of JSON" : what;
  const said = html
    ? formatMessage(body, response, request.secrets, " It says: ")
    : ` It begins: ${truncateBody(body, 500)}`;
  const raw =
    body.length <= maxErrorText
      ? undefined
      : await tryStore(body, html ? "text/html" : "text/plain", undefined, request.ctx);
  const message = `${formatStatus(response, request)}, but the answer ${wrong}.${formatSideEffect(request)}${said}`;
  const error = new ToolError("upstream", `${request.operation} answered ${message}`, {
    status: response.status,
    body: truncateBody(body),
  });
  return {
    content: [text(message)],
    isError: true,
    error,
    ...(raw === undefined ? {} : { artifacts: [raw] }),
    details,
  };
}

function formatSideEffect({ writes }: SentRequest): string {
  return writes
    ? " The request was accepted and may have taken effect: check before repeating it."
    : "";
}
