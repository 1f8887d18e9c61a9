import { setOwn } from "../../document/record.ts";
import { visibleText, type JsonObject, type ToolContext } from "@toolweave/core";
import type { HttpHeaders, HttpResponse } from "@toolweave/http";
import type { DeclaredAnswer } from "./declared-answers.ts";
import { withoutSecrets } from "./secret-text.ts";

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
  /** Which ones the document asks for, in brackets, with a space before them. Empty: none. */
  readonly wanted: string;
  /** Why no request of the operation can be authorised; the end of a sentence. */
  readonly unsupported?: string | undefined;
  /** Some were sent. */
  readonly hasCredentials: boolean;
  /** The operation asks for some. */
  readonly needsCredentials: boolean;
  /** Taken out of whatever comes back. */
  readonly secrets: readonly string[];
  /** Keeps what is too large to be shown, and tells watchers what has come. */
  readonly ctx: Pick<ToolContext, "artifacts" | "update">;
  /** What the document declares for an answer. */
  declared(status: number): DeclaredAnswer;
}

const maxPhraseLength = 100;

/** `404 Not Found`: the server may write anything behind the number. */
export function statusLine(
  { status, statusText }: HttpResponse,
  { secrets }: Pick<AnsweredRequest, "secrets">,
): string {
  const phrase = visibleText(withoutSecrets(statusText, secrets).slice(0, maxPhraseLength)).trim();
  return phrase === "" ? String(status) : `${status} ${phrase}`;
}

/** The body as text, without the credentials that some servers echo. */
export function cleanText(response: HttpResponse, { secrets }: AnsweredRequest): string {
  return withoutSecrets(response.text(), secrets);
}

/** A header as one text, without credentials. */
export function cleanHeader(
  { headers }: HttpResponse,
  name: string,
  { secrets }: AnsweredRequest,
): string | undefined {
  const value = headerText(headers, name);
  return value === undefined ? undefined : withoutSecrets(value, secrets);
}

const headersOfUse = [
  "content-type",
  "content-disposition",
  "content-language",
  "content-range",
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

/** Not for anybody, even where a document declares them. */
const secretHeaders = new Set(["set-cookie", "authorization", "www-authenticate"]);

/** Status, and the headers that a host can use: the usual ones, and those that the document declares. */
export function errorDetails(response: HttpResponse, request: AnsweredRequest): JsonObject {
  const headers: Record<string, string> = {};
  const add = (name: string): void => {
    const value = cleanHeader(response, name, request);
    if (value !== undefined) setOwn(headers, name, value);
  };
  for (const name of headersOfUse) add(name);
  for (const name of request.declared(response.status).headers) {
    if (!secretHeaders.has(name)) add(name);
  }
  return { status: response.status, headers };
}

function headerText(headers: HttpHeaders, name: string): string | undefined {
  if (!Object.hasOwn(headers, name)) return undefined;
  const value = headers[name];
  return typeof value === "string" || value === undefined ? value : value.join(", ");
}
