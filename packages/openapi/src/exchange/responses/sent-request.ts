import { setOwn } from "../../document/record.ts";
import type { JsonObject, ToolContext } from "@toolweave/core";
import { visibleText } from "@toolweave/core/adapter";
import { isDistinctive } from "@toolweave/core/adapter";
import type { HttpResponse } from "@toolweave/http";
import type {
  MediaDescription,
  OperationDetails,
  ResponseDescription,
} from "../../document/operation.ts";

/** The properties of a request that are needed to read its answer. */
export interface SentRequest {
  /** `GET /pets/{id}`, for errors. */
  readonly operation: string;
  /** The URL without credentials, for embedded resources. */
  readonly url: string;
  /** True if the request may have changed something. */
  readonly writes: boolean;
  /** The meaning of a refused credential; the end of a sentence. */
  readonly credentials: string;
  /** The credentials that the document asks for, in brackets, after a space. Empty: none. */
  readonly wanted: string;
  /** The reason for which no request of the operation can be authorized; the end of a sentence. */
  readonly unsupported?: string | undefined;
  /** True if credentials were sent. */
  readonly hasCredentials: boolean;
  /** True if the operation asks for credentials. */
  readonly needsCredentials: boolean;
  /** Redacted in everything that comes back. */
  readonly secrets: readonly string[];
  /** Stores results that are too large for the model, and emits progress updates. */
  readonly ctx: Pick<ToolContext, "artifacts" | "update">;
  /** Returns the document's declaration of an answer. */
  declared(status: number): ResponseDeclaration;
}

const maxPhraseLength = 100;

/** Formats a status as `404 Not Found`; the phrase is arbitrary text of the server. */
export function formatStatus(
  { status, statusText }: HttpResponse,
  { secrets }: Pick<SentRequest, "secrets">,
): string {
  const phrase = visibleText(redactSecrets(statusText, secrets).slice(0, maxPhraseLength)).trim();
  return phrase === "" ? String(status) : `${status} ${phrase}`;
}

/** Returns a header as one text, without credentials. */
export function redactedHeader(
  { headers }: HttpResponse,
  name: string,
  { secrets }: SentRequest,
): string | undefined {
  const value = getHeader({ headers }, name);
  return value === undefined ? undefined : redactSecrets(value, secrets);
}

const usualHeaders = new Set([
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
]);

/** Never returned, even if a document declares them. */
const secretHeaders = new Set(["set-cookie", "authorization", "www-authenticate"]);

/** Returns the status, and the headers that a host can use: the usual ones, and those that the document declares. */
export function toDetails(response: HttpResponse, request: SentRequest): JsonObject {
  const headers: Record<string, string> = {};
  const declared = request.declared(response.status).headers;
  for (const name of Object.keys(response.headers)) {
    if (!usualHeaders.has(name) && (!declared.includes(name) || secretHeaders.has(name))) continue;
    const value = redactedHeader(response, name, request);
    if (value !== undefined) setOwn(headers, name, value);
  }
  return { status: response.status, headers };
}

/** Returns a header as one text. */
export function getHeader(
  { headers }: Pick<HttpResponse, "headers">,
  name: string,
): string | undefined {
  if (!Object.hasOwn(headers, name)) return undefined;
  const value = headers[name];
  return typeof value === "string" || value === undefined ? value : value.join(", ");
}

/** Redacts secrets in a text. */
export function redactSecrets(given: string, secrets: readonly string[]): string {
  let clean = given;
  for (const secret of secrets) {
    if (clean.includes(secret) && isDistinctive(secret))
      clean = clean.replaceAll(secret, "[redacted]");
  }
  return clean;
}

/** A document's declaration of an answer. */
export interface ResponseDeclaration {
  /** The contents; of a success that is not declared, those of all successes. Read on demand. */
  readonly media: readonly MediaDescription[];
  /** In lower case. */
  readonly headers: readonly string[];
  readonly links: ReadonlyMap<string, JsonObject>;
}

const noLinks: ReadonlyMap<string, JsonObject> = new Map();

/**
 * Returns the declaration for each status (OpenAPI 3.2, section 4.16, "Responses Object"): its own response, else that
 * of its class, else the default. Read when the first such answer arrives, and cached.
 */
export function responseDeclarations(
  details: OperationDetails,
): (status: number) => ResponseDeclaration {
  const byStatus = new Map<number, ResponseDeclaration>();
  return (status) => {
    let known = byStatus.get(status);
    if (known === undefined) byStatus.set(status, (known = findDeclaration(details, status)));
    return known;
  };
}

function findDeclaration({ responses }: OperationDetails, status: number): ResponseDeclaration {
  const find = (key: string): ResponseDescription | undefined =>
    responses.find((response) => response.status === key);
  const found = find(`${status}`) ?? find(`${Math.floor(status / 100)}XX`) ?? find("default");
  return {
    headers: found?.headers ?? [],
    links: found?.links ?? noLinks,
    get media() {
      if (found !== undefined) return found.media;
      const successes = responses.filter((response) => response.status.startsWith("2"));
      return successes.flatMap(({ media }) => media);
    },
  };
}
