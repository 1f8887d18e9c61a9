import { visibleText, type JsonObject, type JsonSchema, type JsonValue } from "@toolweave/core";
import { measured } from "../schema/definition-budget.ts";
import { missingReference } from "../schema/missing-reference.ts";
import { readSchema } from "../schema/read-schema.ts";
import { isObject } from "../schema/schema-keywords.ts";
import { visibleSchema } from "../schema/sanitize-schema.ts";
import { secretField } from "./secret-field.ts";
import { UnfitQuestion } from "./invalid-server-request.ts";
import type { ElicitationRequest } from "../options/ask-options.ts";

/** Characters of a message that a person is shown. */
const mostOfMessage = 4_000;

/** More than any form that a person fills in. */
const mostFields = 100;

/** Characters of a form's schema, as JSON. */
const mostOfSchema = 64_000;

/**
 * What a server's `elicitation/create` asks.
 *
 * @throws UnfitQuestion when no person should be asked that.
 */
export function readElicitation(
  server: string,
  params: JsonObject,
  completed: (id: string) => Promise<void>,
): ElicitationRequest {
  const { mode = "form", message } = params;
  if (typeof message !== "string") throw new UnfitQuestion("it has no message");
  const shown = shownMessage(message);
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
      throw new UnfitQuestion("its mode is neither form nor url");
  }
}

const never = new Promise<void>(() => {});

function shownMessage(message: string): string {
  const visible = visibleText(message);
  return visible.length > mostOfMessage ? `${visible.slice(0, mostOfMessage)}…` : visible;
}

const fieldTypes = new Set<unknown>(["string", "number", "integer", "boolean", "array"]);

/** A flat object, as the protocol has it: what is deeper no form can show. */
function readForm(schema: JsonValue | undefined): JsonSchema {
  if (!isObject(schema) || schema["type"] !== "object") {
    throw new UnfitQuestion("its requestedSchema is no schema of an object");
  }
  const { properties } = schema;
  if (!isObject(properties)) throw new UnfitQuestion("its requestedSchema has no properties");
  if (
    "fault" in measured(schema) ||
    JSON.stringify(schema).length > mostOfSchema ||
    Object.keys(properties).length > mostFields
  ) {
    throw new UnfitQuestion("its form is longer than a person fills in");
  }
  if (typeof readSchema(schema) === "string" || missingReference(schema) !== undefined) {
    throw new UnfitQuestion("nothing can be checked against its requestedSchema");
  }
  for (const [name, field] of Object.entries(properties)) {
    if (!isObject(field) || !isFlat(field)) {
      throw new UnfitQuestion(
        `its field "${name.slice(0, 100)}" is neither a text, a number, a boolean nor a choice`,
      );
    }
    if (secretField(name, field)) {
      throw new UnfitQuestion(
        `its field "${name.slice(0, 100)}" asks for a secret, which no form may (use URL mode)`,
      );
    }
  }
  return visibleSchema(schema, visibleText);
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
  if (url === null) throw new UnfitQuestion("its url is none");
  const { protocol, hostname, username, password } = url;
  if (protocol !== "https:" && !(protocol === "http:" && loopback.test(hostname))) {
    throw new UnfitQuestion("its url is not https");
  }
  if (username !== "" || password !== "") throw new UnfitQuestion("its url has a user name");
  if (url.href.length > mostOfMessage)
    throw new UnfitQuestion("its url is too long to be looked at");
  return url.href;
}

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
