import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import { isObject, visibleText, ellipsize, truncate } from "@toolweave/core/adapter";
import {
  measureDefinition,
  findMissingReference,
  readSchema,
  sanitizeSchema,
} from "../schema/read-schema.ts";
import { InvalidServerRequest } from "./form-answer.ts";
import type { ElicitationRequest } from "../options/server-request-options.ts";

/** Maximum number of characters of a message for a person. */
const maxMessageLength = 4_000;

/** Maximum number of fields of a form. */
const maxFields = 100;

/** Maximum number of characters of a form's schema, as JSON. */
const maxSchemaLength = 64_000;

/**
 * Validates the params of a server's `elicitation/create`.
 *
 * @throws InvalidServerRequest when it must not be passed to a person.
 */
export function readElicitation(
  server: string,
  params: JsonObject,
  completed: (id: string) => Promise<void>,
): ElicitationRequest {
  const { mode = "form", message } = params;
  if (typeof message !== "string") throw new InvalidServerRequest("it has no message");
  const text = toVisibleMessage(message);
  switch (mode) {
    case "form":
      return { mode, server, message: text, requestedSchema: readForm(params["requestedSchema"]) };
    case "url": {
      const { elicitationId } = params;
      const hasId = typeof elicitationId === "string";
      return {
        mode,
        server,
        message: text,
        url: readUrl(params["url"]),
        ...(hasId ? { elicitationId } : {}),
        completed: hasId ? completed(elicitationId) : never,
      };
    }
    default:
      throw new InvalidServerRequest("its mode is neither form nor url");
  }
}

const never = new Promise<void>(() => {});

function toVisibleMessage(message: string): string {
  return ellipsize(visibleText(message), maxMessageLength);
}

const fieldTypes = new Set<unknown>(["string", "number", "integer", "boolean", "array"]);

/** Validates a form: a flat object, as in the protocol. */
function readForm(schema: JsonValue | undefined): JsonSchema {
  if (!isObject(schema) || schema["type"] !== "object") {
    throw new InvalidServerRequest("its requestedSchema is not an object schema");
  }
  const { properties } = schema;
  if (!isObject(properties))
    throw new InvalidServerRequest("its requestedSchema has no properties");
  if (
    "fault" in measureDefinition(schema) ||
    JSON.stringify(schema).length > maxSchemaLength ||
    Object.keys(properties).length > maxFields
  ) {
    throw new InvalidServerRequest("its form is too large");
  }
  if (typeof readSchema(schema) === "string" || findMissingReference(schema) !== undefined) {
    throw new InvalidServerRequest("its requestedSchema is not a valid schema");
  }
  for (const [name, field] of Object.entries(properties)) {
    if (!isObject(field) || !isFlat(field)) {
      throw new InvalidServerRequest(
        `its field "${truncate(name, 100)}" is neither a string, a number, a boolean nor a choice`,
      );
    }
    if (isSecretField(name, field)) {
      throw new InvalidServerRequest(
        `its field "${truncate(name, 100)}" asks for a secret, which is not allowed in a form (use URL mode)`,
      );
    }
  }
  return sanitizeSchema(schema, visibleText);
}

function isFlat({ type, items, oneOf, anyOf, enum: choices, properties }: JsonSchema): boolean {
  if (properties !== undefined) return false;
  if (type === "array")
    return isObject(items) && items["items"] === undefined && items["properties"] === undefined;
  return fieldTypes.has(type) || [oneOf, anyOf, choices].some(Array.isArray);
}

/** Returns the URL in ASCII, so that a look-alike host is recognizable. */
function readUrl(value: JsonValue | undefined): string {
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (url === null) throw new InvalidServerRequest("its url is not a valid URL");
  const { protocol, hostname, username, password } = url;
  if (protocol !== "https:" && !(protocol === "http:" && loopback.test(hostname))) {
    throw new InvalidServerRequest("its url is not https");
  }
  if (username !== "" || password !== "") throw new InvalidServerRequest("its url has a user name");
  if (url.href.length > maxMessageLength) throw new InvalidServerRequest("its url is too long");
  return url.href;
}

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Matches names of secrets that have few other meanings: `token` alone may count words, `key` alone may be a key of a
 * map. Words are separated as in `apiKey`, `api_key`, `API key`.
 */
const secret =
  /pass[-_ ]?(?:word|phrase|code|wd)|\bpasswd\b|\bpwd\b|secret|\bcredentials?\b|(?:api|access|private|auth|signing|encryption|ssh)[-_ ]?key|(?:access|api|auth|bearer|refresh|session|security|oauth|personal[-_ ]access)[-_ ]?token|(?:credit|debit)[-_ ]?card|card[-_ ]?number|\b(?:cvv|cvc)2?\b|\bpin[-_ ]?(?:code|number)\b|\b(?:otp|totp|mfa|2fa)[-_ ]?(?:code)?\b|one[-_ ]?time[-_ ]?(?:code|password)|social[-_ ]?security|recovery[-_ ]?(?:code|phrase)|seed[-_ ]?phrase/i;

/**
 * True if the field of a form asks for a secret, which the protocol forbids there: passwords, keys, tokens, cards.
 * Decided by its name and title; a description may say what not to enter.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#safe-url-handling
 */
function isSecretField(name: string, { title, format, writeOnly, type }: JsonSchema): boolean {
  if (type === "boolean") return false;
  if (format === "password" || writeOnly === true) return true;
  return [name, title].some(
    (text) => typeof text === "string" && secret.test(separateWords(normalize(text))),
  );
}

/** Separates words: `apiKey` becomes `api Key`. */
function separateWords(text: string): string {
  return text.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").replaceAll(/[_.]/g, " ");
}

/** Normalizes a text: without hidden characters, and with plain in place of wide letters. */
function normalize(text: string): string {
  return visibleText(text).normalize("NFKC");
}
