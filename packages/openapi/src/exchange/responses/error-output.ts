import { text, ToolError, type JsonValue, type ToolOutput } from "@toolweave/core";
import { isReadableMediaType, parseExact } from "@toolweave/core/adapter";
import { retryAfterMs, type HttpResponse } from "@toolweave/http";
import { redactedText, formatStatus, type SentRequest } from "./sent-request.ts";
import { isHtml, formatMessage } from "./html-page.ts";
import { getStatusMeaning } from "./status-meaning.ts";

/** Converts an answer with a failure status to an output with the server's message and advice for the model. */
export function toErrorOutput(response: HttpResponse, request: SentRequest): ToolOutput {
  const { status, mediaType = "" } = response;
  const isReadable = mediaType === "" || isReadableMediaType(mediaType);
  const body =
    response.body.length === 0 || !isReadable ? "" : redactedText(response, request).trim();
  const json = body.length <= maxParsedBytes ? tryParse(body) : undefined;
  const clippedBody = truncateBody(body);
  const line = formatStatus(response, request);
  // The answer belongs to a GET to which the API redirected.
  const isRedirected = !request.operation.startsWith(`${response.method} `);
  const detail = describeBody(body, json, clippedBody, response, request);
  const meaning = getStatusMeaning(status);
  // Without credentials, a 403 concerns them only if the operation asks for some.
  const refused =
    status === 401 || (status === 403 && (request.hasCredentials || request.needsCredentials));
  const wait = retryAfterMs(response.headers);
  const lines = [
    detail === "" ? line : `${line}: ${detail}`,
    refused ? adviseOnCredentials(status, request) : (meaning.advice ?? ""),
    wait === undefined || wait === 0 || !meaning.retryable
      ? ""
      : `The API asks to wait ${Math.ceil(wait / 1000)} s.`,
    request.writes && (status >= 500 || isRedirected)
      ? "The request may have taken effect anyway: check before repeating it."
      : "",
  ];
  const [first, ...advice] = lines.filter((one) => one !== "");
  const message = advice.length === 0 ? `${first}` : `${first}\n${advice.join(" ")}`;
  const small = json !== undefined && body.length <= maxJsonLength;
  const error = new ToolError(
    refused && !request.hasCredentials ? "auth_required" : "upstream",
    `${request.operation} answered ${message}`,
    {
      status,
      retryable: meaning.retryable,
      ...(clippedBody === "" ? {} : { body: small ? json : clippedBody }),
      ...(wait === undefined ? {} : { retryAfterMs: wait }),
    },
  );
  return {
    content: [text(message)],
    isError: true,
    error,
    ...(small ? { value: json } : {}),
  };
}

/** Maximum number of characters of JSON that is parsed. */
const maxParsedBytes = 50_000;
/** Maximum number of characters of JSON that an error contains as a value. */
const maxJsonLength = 2000;

function describeBody(
  body: string,
  json: JsonValue | undefined,
  clippedBody: string,
  response: HttpResponse,
  { secrets }: SentRequest,
): string {
  const { mediaType = "", statusText } = response;
  // The text of an HTML page is of no use to a model: a proxy's page contains nothing about the API.
  if (json === undefined && isHtml(mediaType, body)) {
    return `an HTML page${formatMessage(body, response, secrets, " that says ")}`;
  }
  if (json === undefined || mediaType !== "application/problem+json") return clippedBody;
  return formatProblem(json, statusText) ?? clippedBody;
}

function adviseOnCredentials(
  status: number,
  { credentials, unsupported, hasCredentials, needsCredentials, wanted }: SentRequest,
): string {
  if (!hasCredentials) {
    const again = "Repeating the call will not help.";
    if (needsCredentials) return `Credentials are missing: ${credentials}. ${again}`;
    // An operation that signs a person in declares no security: the refused credential may be a password in the
    // arguments.
    return `Credentials are missing, or those in the arguments are wrong: ${credentials}. ${again}`;
  }
  const why =
    unsupported === undefined
      ? `the host has to renew or replace them${wanted}`
      : `the operation cannot be authorized, since ${unsupported}`;
  return status === 401
    ? `The credentials were refused: ${why}. Repeating the call will not help.`
    : `The credentials do not permit this. Repeating the call will not help.`;
}

const maxRestLength = 1000;

/**
 * Formats a problem (RFC 9457) for a model: title and detail as sentences, followed by the API's own members, such as
 * the errors of single fields. `undefined`: it has neither.
 *
 * @param statusText a title that only repeats it is omitted.
 */
export function formatProblem(problem: JsonValue, statusText: string): string | undefined {
  if (typeof problem !== "object" || problem === null || Array.isArray(problem)) return undefined;
  const { title, detail, status: _status, type, ...rest } = problem as Record<string, JsonValue>;
  const isNews = typeof title === "string" && title.toLowerCase() !== statusText.toLowerCase();
  const sentences = [isNews ? title : "", typeof detail === "string" ? detail : ""]
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
  if (sentences.length === 0) return undefined;
  if (type !== undefined && type !== "about:blank") rest["type"] = type;
  const said = sentences.map((one) => (/[.!?…]$/.test(one) ? one : `${one}.`)).join(" ");
  const more = Object.keys(rest).length === 0 ? "" : stringifyMembers(rest);
  if (more === "") return said;
  return `${said} ${more.length <= maxRestLength ? more : `${more.slice(0, maxRestLength)}…`}`;
}

function stringifyMembers(members: JsonValue): string {
  try {
    return JSON.stringify(members);
  } catch {
    // It is nested deeper than the stack allows. The title and the detail are still useful.
    return "";
  }
}

/** Maximum number of characters of a body in an error. */
export const maxErrorText = 2000;

/** Parses a JSON text; `undefined` if it is invalid. */
export function tryParse(json: string): JsonValue | undefined {
  try {
    return parseExact(json);
  } catch {
    return undefined;
  }
}

/** Truncates a text, and appends its full length. */
export function truncateBody(body: string, maxLength: number = maxErrorText): string {
  return body.length <= maxLength
    ? body
    : `${body.slice(0, maxLength)}… (${body.length} characters)`;
}
