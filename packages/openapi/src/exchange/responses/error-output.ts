import { text, ToolError, type JsonValue, type ToolOutput } from "@toolweave/core";
import { parseExact, ellipsize, truncate } from "@toolweave/core/adapter";
import { retryAfterMs, type HttpResponse } from "@toolweave/http";
import { formatStatus, getHeader, redactSecrets, type SentRequest } from "./sent-request.ts";
import { readErrorText } from "./read-body.ts";
import { isHtml, formatMessage } from "./html-page.ts";

/** Converts an answer with a failure status to an output with the server's message and advice for the model. */
export function toErrorOutput(response: HttpResponse, request: SentRequest): ToolOutput {
  const { status } = response;
  const said = readErrorText(response.body, getHeader(response, "content-type")) ?? "";
  const body = redactSecrets(said, request.secrets).trim();
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
  return `${said} ${ellipsize(more, maxRestLength)}`;
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
function tryParse(json: string): JsonValue | undefined {
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
    : `${truncate(body, maxLength)}… (${body.length} characters)`;
}

/** The meaning of a failure status for the model that made the call. */
interface StatusMeaning {
  /** True if the same call may succeed later. */
  readonly retryable: boolean;
  /** Advice for the model, unless the status and the body already contain it. */
  readonly advice?: string;
}

const theirs = "The API failed: try again later, or with other arguments.";

const later = (advice: string): StatusMeaning => ({ retryable: true, advice });
const never = (advice: string): StatusMeaning => ({ retryable: false, advice });

/** RFC 9110, section 15; RFC 6585; RFC 8470; RFC 4918; 520 to 530: proxies; 529: overloaded. */
const meanings: Readonly<Record<number, StatusMeaning>> = {
  402: never("Payment is required: a person has to pay first."),
  405: never("The API does not support this operation here: use another tool."),
  406: never("The API cannot answer in a supported format."),
  407: never("A proxy requires credentials: the host has to configure them."),
  408: later("The API did not receive the request in time: try again."),
  409: never("The request conflicts with the current state: read that state, then decide."),
  410: never("The resource was removed permanently."),
  412: never("The resource has changed since it was read: read it again, then decide."),
  413: never("The request is larger than the API accepts: send less."),
  414: never("The arguments are too long for a URL: send less."),
  415: never("The API does not accept content of this type."),
  423: never("The resource is locked: another client is working on it."),
  424: never("An action on which the request depends has failed."),
  425: later("The API was not ready for the request: try again."),
  428: never(
    "The API requires the version of the resource: read it first, and send the required condition.",
  ),
  429: later("Too many requests were sent."),
  431: never("The arguments are too long for headers: send less."),
  451: never("The resource is not available for legal reasons."),
  500: never(theirs),
  501: never("The API does not support this: use another tool."),
  502: later(theirs),
  503: later("The API is temporarily overloaded or down: try again later."),
  504: later(`${theirs} The request may still be in progress.`),
  505: never(theirs),
  507: never("The API has no storage left."),
  508: never(theirs),
  511: never("The network requires a sign-in: the host has to complete it."),
  520: later(theirs),
  521: later("The API is temporarily down: try again later."),
  522: later("The API does not answer at the moment: try again later."),
  523: later("The API cannot be reached at the moment: try again later."),
  524: later(`${theirs} The request may still be in progress.`),
  525: never("There is no secure connection to the API: the host has to fix it."),
  526: never("There is no secure connection to the API: the host has to fix it."),
  529: later("The API is overloaded: try again later."),
};

const plain: StatusMeaning = { retryable: false };

/** Returns the meaning of a status; for an undefined status, that of its class (RFC 9110, section 15). */
export function getStatusMeaning(status: number): StatusMeaning {
  return meanings[status] ?? (status >= 500 ? { retryable: false, advice: theirs } : plain);
}
