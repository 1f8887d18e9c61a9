import {
  text,
  ToolError,
  type ContentBlock,
  type JsonObject,
  type JsonValue,
  type ToolOutput,
} from "@toolweave/core";
import { retryAfterMs, type HttpHeaders, type HttpResponse } from "@toolweave/http";
import { isJsonMediaType, isTextMediaType } from "../request/media-type.ts";
import { isPage, pageText } from "./page-text.ts";
import { isDistinctive } from "../auth/source-secrets.ts";

/** What is known of the request when its answer is read. */
export interface AnsweredRequest {
  /** `GET /pets/{id}`, for errors. */
  readonly operation: string;
  /** The address without credentials, for embedded resources. */
  readonly url: string;
  /** The request may have changed something. */
  readonly writes: boolean;
  /** Every success that the document declares is JSON. */
  readonly expectsJson: boolean;
  /** What a refused credential means here; the end of a sentence. */
  readonly credentials: string;
  /** Some were sent. */
  readonly hasCredentials: boolean;
  /** The operation asks for some. */
  readonly needsCredentials: boolean;
  /** Taken out of whatever comes back. */
  readonly secrets: readonly string[];
}

const shownInErrors = 2000;

/** Makes a tool's output of an answer. */
export function toolOutput(response: HttpResponse, request: AnsweredRequest): ToolOutput {
  const { status } = response;
  const details = detailsOf(response, request);
  // 304 answers a condition that only the caller can have set: there is nothing new, and nothing wrong.
  if ((status < 200 || status >= 300) && status !== 304)
    return { ...failure(response, request), details };
  if (response.body.length === 0) return { content: [text(emptyText(response, request))], details };

  const { mediaType } = response;
  if (mediaType !== undefined && isJsonMediaType(mediaType)) {
    const json = cleanText(response, request);
    const value = parsed(json);
    if (value === undefined)
      return { ...unexpected(response, request, "is not valid JSON", json), details };
    return { content: [text(json)], value, details };
  }
  if (mediaType === "text/html" && request.expectsJson) {
    const page = cleanText(response, request);
    return { ...unexpected(response, request, "is an HTML page instead of JSON", page), details };
  }
  if (mediaType === undefined || mediaType === "text/plain") {
    const plain = cleanText(response, request);
    // Servers forget to say that it is JSON.
    const value = mediaType === undefined || request.expectsJson ? parsed(plain) : undefined;
    if (value !== undefined) return { content: [text(plain)], value, details };
    if (mediaType === undefined && plain.includes("\uFFFD")) {
      return { content: [binaryBlock(response, request)], details };
    }
    return { content: [text(plain)], details };
  }
  if (isTextMediaType(mediaType)) return { content: [text(cleanText(response, request))], details };
  return { content: [binaryBlock(response, request)], details };
}

/** What there is to say of an answer without a body: its status, and where the thing is that was made. */
function emptyText(response: HttpResponse, { secrets }: AnsweredRequest): string {
  const location = headerText(response.headers, "location");
  const line = statusLine(response);
  return location === undefined ? line : `${line}, location: ${withoutSecrets(location, secrets)}`;
}

function failure(response: HttpResponse, request: AnsweredRequest): ToolOutput {
  const { status, mediaType = "" } = response;
  const isReadable = mediaType === "" || isJsonMediaType(mediaType) || isTextMediaType(mediaType);
  const body = response.body.length === 0 || !isReadable ? "" : cleanText(response, request).trim();
  const json = body.length <= shownInErrors ? parsed(body) : undefined;
  const shown = clipped(body);
  // A page is of use to whoever looks for the fault, and to no model: a proxy's has nothing of the API.
  const said =
    json === undefined && isPage(mediaType, body)
      ? `an HTML page${wordsOf(body, response, request, " that says ")}`
      : shown;
  const line = said === "" ? statusLine(response) : `${statusLine(response)}: ${said}`;
  // Without credentials a 403 is about them only where the operation asks for some.
  const refused =
    status === 401 || (status === 403 && (request.hasCredentials || request.needsCredentials));
  const message = refused ? `${line}\n${advice(status, request)}` : line;
  const retryAfter = retryAfterMs(response.headers);
  const error = new ToolError(
    refused && !request.hasCredentials ? "auth_required" : "upstream",
    `${request.operation} answered ${message}`,
    {
      status,
      retryable: status === 408 || status === 429 || (status >= 502 && status <= 504),
      ...(shown === "" ? {} : { body: json ?? shown }),
      ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter }),
    },
  );
  return {
    content: [text(message)],
    isError: true,
    error,
    ...(json === undefined ? {} : { value: json }),
  };
}

function advice(status: number, { credentials, hasCredentials }: AnsweredRequest): string {
  if (!hasCredentials)
    return `Credentials are missing: ${credentials}. Repeating the call will not help.`;
  return status === 401
    ? `The credentials were refused: the host has to renew them. Repeating the call will not help.`
    : `The credentials do not permit this. Repeating the call will not help.`;
}

function unexpected(
  response: HttpResponse,
  request: AnsweredRequest,
  what: string,
  body: string,
): ToolOutput {
  const done = request.writes
    ? " The request was accepted and may have taken effect: check before repeating it."
    : "";
  const isHtml = isPage(response.mediaType, body);
  const wrong = isHtml ? "is an HTML page instead of JSON" : what;
  const said = isHtml
    ? wordsOf(body, response, request, " It says: ")
    : ` It begins: ${clipped(body, 500)}`;
  const message = `${statusLine(response)}, but the answer ${wrong}.${done}${said}`;
  const error = new ToolError("upstream", `${request.operation} answered ${message}`, {
    status: response.status,
    body: clipped(body),
  });
  return { content: [text(message)], isError: true, error };
}

/** What a page says, behind an introduction; empty when that is nothing. */
function wordsOf(
  page: string,
  response: HttpResponse,
  { secrets }: AnsweredRequest,
  introduction: string,
): string {
  const words = pageText(page, response);
  if (words === undefined) return "";
  // A credential that was cut up by tags, or escaped, is whole again.
  return `${introduction}${JSON.stringify(withoutSecrets(words, secrets))}`;
}

function binaryBlock({ mediaType, body }: HttpResponse, { url }: AnsweredRequest): ContentBlock {
  const data = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("base64");
  const mimeType = mediaType ?? "application/octet-stream";
  if (mimeType.startsWith("image/")) return { type: "image", data, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType };
  return { type: "resource", resource: { uri: url, mimeType, blob: data } };
}

function statusLine({ status, statusText }: HttpResponse): string {
  return statusText === "" ? String(status) : `${status} ${statusText}`;
}

function parsed(json: string): JsonValue | undefined {
  try {
    return JSON.parse(json) as JsonValue;
  } catch {
    return undefined;
  }
}

function clipped(body: string, most: number = shownInErrors): string {
  return body.length <= most ? body : `${body.slice(0, most)}… (${body.length} characters)`;
}

/** The body as text, without the credentials that some servers echo. */
function cleanText(response: HttpResponse, { secrets }: AnsweredRequest): string {
  return withoutSecrets(response.text(), secrets);
}

/** Takes secrets out of a text. */
function withoutSecrets(given: string, secrets: readonly string[]): string {
  let clean = given;
  for (const secret of secrets) {
    if (clean.includes(secret) && isDistinctive(secret))
      clean = clean.replaceAll(secret, "[redacted]");
  }
  return clean;
}

const headersOfUse = [
  "content-type",
  "location",
  "link",
  "etag",
  "last-modified",
  "retry-after",
  "x-request-id",
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "ratelimit",
  "ratelimit-policy",
  "deprecation",
  "sunset",
] as const;

function detailsOf(response: HttpResponse, { secrets }: AnsweredRequest): JsonObject {
  const headers: Record<string, string> = {};
  for (const name of headersOfUse) {
    const value = headerText(response.headers, name);
    if (value !== undefined) headers[name] = withoutSecrets(value, secrets);
  }
  return { status: response.status, headers };
}

function headerText(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" || value === undefined ? value : value.join(", ");
}
