import { digitsWithin, isObject, parseExact, stringifyExact } from "@toolweave/core/adapter";
import type { JsonObject, JsonValue } from "@toolweave/core";
import { parseFieldValue } from "@toolweave/http/fields";
import { Problem } from "./problem.ts";
import { readBody } from "./read-body.ts";

/** Maximum size of a request's body in bytes: 4 MiB. */
const maxBodyBytes = 4_194_304;

/**
 * Refuses a request that a form of another page could send.
 *
 * @throws Problem for a body that is not declared as JSON.
 */
export function checkJsonType({ headers }: Request): void {
  const { value, parameters } = parseFieldValue(headers.get("content-type") ?? "");
  const isUtf8 = Array.from(parameters).every(
    ([name, text]) => name === "charset" && text.toLowerCase() === "utf-8",
  );
  if (value.toLowerCase() !== "application/json" || !isUtf8) {
    throw new Problem(
      "unsupported_media_type",
      "The body must be JSON: send the header Content-Type: application/json.",
    );
  }
  if (headers.has("content-encoding")) {
    throw new Problem("unsupported_media_type", "The body must be sent without Content-Encoding.");
  }
}

/**
 * Reads the body of a request as a JSON object with known members. `stringifyExact` writes its parts as they were sent.
 *
 * @throws Problem for a body that is too large, no JSON, no object, and unknown members.
 */
export async function readJsonBody(
  request: Request,
  members: readonly string[],
): Promise<JsonObject> {
  const body = await readBody(request, maxBodyBytes);
  if (body === undefined) {
    throw new Problem(
      "body_too_large",
      `The body must have at most ${maxBodyBytes} bytes.`,
      {},
      { connection: "close" },
    );
  }
  const value = parse(body);
  if (!isObject(value)) throw new Problem("invalid_body", "The body must be a JSON object.");
  const unknown = Object.keys(value).find((member) => !members.includes(member));
  if (unknown !== undefined) {
    throw new Problem(
      "invalid_body",
      `The body has the unknown member ${JSON.stringify(unknown.slice(0, 100))}: it takes ${members.join(", ")}.`,
    );
  }
  return value;
}

function parse(body: Uint8Array): JsonValue {
  try {
    return parseExact(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw new Problem("invalid_json", "The body is not valid JSON in UTF-8.");
  }
}

/**
 * The arguments of a call as the executor gets them. Values that are no object, and objects with numbers that JavaScript
 * would change, are passed as a text: it has their digits.
 *
 * @param args a part of a body that `readJsonBody` has read.
 */
export function toSentArguments(args: JsonValue): JsonObject | string {
  if (typeof args === "string") return args;
  const [digits] = digitsWithin(args);
  return isObject(args) && digits === undefined ? args : stringifyExact(args);
}
