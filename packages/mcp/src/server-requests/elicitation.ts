import { visibleText, type JsonObject, type JsonSchema, type JsonValue } from "@toolweave/core";
import { measureDefinition } from "../schema/definition-budget.ts";
import { findMissingReference } from "../schema/missing-reference.ts";
import { readSchema } from "../schema/read-schema.ts";
import { isObject } from "../schema/schema-keywords.ts";
import { sanitizeSchema } from "../schema/sanitize-schema.ts";
import { isSecretField } from "./secret-field.ts";
import { InvalidServerRequest } from "./invalid-server-request.ts";
import type { ElicitationRequest } from "../options/ask-options.ts";

/** Characters of a message that a person is shown. */
const maxMessageLength = 4_000;

/** More than any form that a person fills in. */
const maxFields = 100;

/** Characters of a form's schema, as JSON. */
const maxSchemaLength = 64_000;

/**
 * What a server's `elicitation/create` asks.
 *
 * @throws InvalidServerRequest when no person should be asked that.
 */
export function readElicitation(
  server: string,
  params: JsonObject,
  completed: (id: string) => Promise<void>,
): ElicitationRequest {
  const { mode = "form", message } = params;
  if (typeof message !== "string") throw new InvalidServerRequest("it has no message");
  const shown = toVisibleMessage(message);
  switch (mode) {
    case "form":
      return { mode, server, message: shown, requestedSchema: readForm(params["requestedSchema"]) };
    case "url": {
      const { elicitationId } = params;
      const hasId = typeof elicitationId === "string";
      return {
        mode,
        server,
        message: shown,
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
  const visible = visibleText(message);
  return visible.length > maxMessageLength ? `${visible.slice(0, maxMessageLength)}…` : visible;
}

const fieldTypes = new Set<unknown>(["string", "number", "integer", "boolean", "array"]);

/** A flat object, as the protocol has it: what is deeper no form can show. */
function readForm(schema: JsonValue | undefined): JsonSchema {
  if (!isObject(schema) || schema["type"] !== "object") {
    throw new InvalidServerRequest("its requestedSchema is no schema of an object");
  }
  const { properties } = schema;
  if (!isObject(properties))
    throw new InvalidServerRequest("its requestedSchema has no properties");
  if (
    "fault" in measureDefinition(schema) ||
    JSON.stringify(schema).length > maxSchemaLength ||
    Object.keys(properties).length > maxFields
  ) {
    throw new InvalidServerRequest("its form is longer than a person fills in");
  }
  if (typeof readSchema(schema) === "string" || findMissingReference(schema) !== undefined) {
    throw new InvalidServerRequest("nothing can be checked against its requestedSchema");
  }
  for (const [name, field] of Object.entries(properties)) {
    if (!isObject(field) || !isFlat(field)) {
      throw new InvalidServerRequest(
        `its field "${name.slice(0, 100)}" is neither a text, a number, a boolean nor a choice`,
      );
    }
    if (isSecretField(name, field)) {
      throw new InvalidServerRequest(
        `its field "${name.slice(0, 100)}" asks for a secret, which no form may (use URL mode)`,
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

/** In ASCII, however it was written: what looks like another host does not. */
function readUrl(given: JsonValue | undefined): string {
  const url = typeof given === "string" ? URL.parse(given) : null;
  if (url === null) throw new InvalidServerRequest("its url is none");
  const { protocol, hostname, username, password } = url;
  if (protocol !== "https:" && !(protocol === "http:" && loopback.test(hostname))) {
    throw new InvalidServerRequest("its url is not https");
  }
  if (username !== "" || password !== "") throw new InvalidServerRequest("its url has a user name");
  if (url.href.length > maxMessageLength)
    throw new InvalidServerRequest("its url is too long to be looked at");
  return url.href;
}

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
