import { text, ToolError, type JsonValue, type ToolOutput } from "@toolweave/core";
import { retryAfterMs, type HttpResponse } from "@toolweave/http";
import { isJsonMediaType, isTextMediaType } from "../../document/media-type.ts";
import { cleanText, statusLine, type AnsweredRequest } from "./answered-request.ts";
import { clipped, parsed } from "./body-text.ts";
import { isHtml, htmlWords } from "./html-page.ts";
import { problemText } from "./problem-text.ts";
import { statusMeaning } from "./status-advice.ts";

/** An answer whose status is no success: what it says, and what the model can do about it. */
export function failedAnswer(response: HttpResponse, request: AnsweredRequest): ToolOutput {
  const { status, mediaType = "" } = response;
  const isReadable = mediaType === "" || isJsonMediaType(mediaType) || isTextMediaType(mediaType);
  const body = response.body.length === 0 || !isReadable ? "" : cleanText(response, request).trim();
  const json = body.length <= maxParsedBytes ? parsed(body) : undefined;
  const shown = clipped(body);
  const line = statusLine(response, request);
  // The answer is that of a GET to which the API redirected.
  const isRedirected = !request.operation.startsWith(`${response.method} `);
  const said = errorDetail(body, json, shown, response, request);
  const meaning = statusMeaning(status);
  // Without credentials a 403 is about them only where the operation asks for some.
  const refused =
    status === 401 || (status === 403 && (request.hasCredentials || request.needsCredentials));
  const wait = retryAfterMs(response.headers);
  const lines = [
    said === "" ? line : `${line}: ${said}`,
    refused ? credentialAdvice(status, request) : (meaning.advice ?? ""),
    wait === undefined || wait === 0 || !meaning.retryable
      ? ""
      : `It asks to wait ${Math.ceil(wait / 1000)} s.`,
    request.writes && (status >= 500 || isRedirected)
      ? "It may have taken effect all the same: check before repeating it."
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
      ...(shown === "" ? {} : { body: small ? json : shown }),
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

/** Characters of JSON that is looked into. */
const maxParsedBytes = 50_000;
/** Characters of JSON that go with an error whole. */
const maxJsonLength = 2000;

function errorDetail(
  body: string,
  json: JsonValue | undefined,
  shown: string,
  response: HttpResponse,
  { secrets }: AnsweredRequest,
): string {
  const { mediaType = "", statusText } = response;
  // A page is of use to whoever looks for the fault, and to no model: a proxy's has nothing of the API.
  if (json === undefined && isHtml(mediaType, body)) {
    return `an HTML page${htmlWords(body, response, secrets, " that says ")}`;
  }
  if (json === undefined || mediaType !== "application/problem+json") return shown;
  return problemText(json, statusText) ?? shown;
}

function credentialAdvice(
  status: number,
  { credentials, unsupported, hasCredentials, needsCredentials, wanted }: AnsweredRequest,
): string {
  if (!hasCredentials) {
    const again = "Repeating the call will not help.";
    if (needsCredentials) return `Credentials are missing: ${credentials}. ${again}`;
    // What signs somebody in asks for none itself: what was refused may be a password in the arguments.
    return `Credentials are missing, or those among the arguments are wrong: ${credentials}. ${again}`;
  }
  const why =
    unsupported === undefined
      ? `the host has to renew them, or to pass others${wanted}`
      : `the operation cannot be authorised, since ${unsupported}`;
  return status === 401
    ? `The credentials were refused: ${why}. Repeating the call will not help.`
    : `The credentials do not permit this. Repeating the call will not help.`;
}
