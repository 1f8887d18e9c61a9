import { isObject } from "@toolweave/core/adapter";

/** Characters of a message that is about the session and nothing else. */
const maxLength = 200;

/** Codes of an accepted request that was refused as a whole: the range of servers, and an invalid request. */
const refusalCodes: ReadonlySet<unknown> = new Set([-32000, -32001, -32002, -32600, undefined]);

const isLost =
  "not found|unknown|invalid|expired|missing|required|lost|closed|terminated|ended|gone|deleted|inactive|timed out|no longer|not (?:be )?(?:exist|valid|active|known|found|recogni[sz]ed|initiali[sz]ed)|(?:does|did)n['’]t exist|unrecogni[sz]ed";
const kind = "(?:mcp|http|sse|client|server|transport|valid|active|such|known|existing|current)";

/** Messages of servers that do not know a session, after prefixes such as "Bad Request:". */
const refusals: readonly RegExp[] = [
  new RegExp(
    `^(?:no|invalid|unknown|expired|missing|unrecogni[sz]ed|stale|lost|inactive)(?:(?: or |/)(?:missing|invalid|expired|unknown))*[ -](?:${kind}[ -])*session`,
  ),
  new RegExp(`^(?:(?:the|this|your|${kind})[ -])*session[ _-]?(?:id)?\\b.*\\b(?:${isLost})\\b`),
  /^(?:no|unknown|missing) (?:transport|server|connection)\b.*\bsession/,
  /\b(?:not|never)(?: yet| been)* initiali[sz]ed\b|\bbefore initiali[sz]|^uninitiali[sz]ed|\b(?:must|please|need to)\b.* initiali[sz]e/,
];

/** True for a message that says that the session of the request is unknown, or has ended. */
export function describesLostSession(message: string): boolean {
  if (message.length > maxLength) return false;
  const text = message
    .trim()
    .toLowerCase()
    .replace(/^(?:(?![^:]*session)[a-z][a-z -]{0,30}(?: -?\d+)?:\s*)+/, "");
  return refusals.some((refusal) => refusal.test(text));
}

/** Returns the message of an error body, of any form; `undefined`: there is none. */
export function readErrorMessage(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const { error, message, error_description: description, detail } = body;
  const nested = isObject(error) ? error["message"] : error;
  return [description, nested, message, detail].find((one) => typeof one === "string");
}

/**
 * True for an error in an accepted response (status 200) that refuses the request because the server does not know
 * the session.
 */
export function isSessionError(message: unknown): boolean {
  if (!isObject(message) || message["error"] === undefined) return false;
  const { error } = message;
  const code = isObject(error) ? error["code"] : undefined;
  return refusalCodes.has(code) && describesLostSession(readErrorMessage(message) ?? "");
}
