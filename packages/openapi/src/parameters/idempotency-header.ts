import type { Parameter } from "../document/operation.ts";
import { resolveSchema } from "../schema/resolve-schema.ts";

/**
 * A header that identifies a call, so that a server carries it out once (IETF draft, "The Idempotency-Key HTTP Header
 * Field").
 */
export interface IdempotencyHeader {
  /** In lower case. */
  readonly name: string;
  /** Returns the header's value for a key of 64 hexadecimal digits. */
  value(key: string): string;
}

/** Finds the header parameter that takes an idempotency key; `undefined`: there is none. */
export function findIdempotencyParameter(parameters: readonly Parameter[]): Parameter | undefined {
  return parameters.find(({ name, in: place }) => place === "header" && isIdempotencyHeader(name));
}

/** Returns true for the name of a header that takes an idempotency key. */
export function isIdempotencyHeader(name: string): boolean {
  return /^(?:x-)?idempotency-key$/i.test(name.trim());
}

/**
 * Determines the form of a key in a header: a UUID (RFC 9562, version 4), which most APIs require; if the schema's
 * maximum length is shorter, hexadecimal digits truncated to it.
 */
export function toIdempotencyHeader({ name, schema }: Parameter): IdempotencyHeader {
  const resolved = resolveSchema(schema.schema, schema.defs);
  const { maxLength = Infinity } = typeof resolved === "object" ? resolved : {};
  const maxKeyLength = typeof maxLength === "number" ? maxLength : Infinity;
  return {
    name: name.trim().toLowerCase(),
    value: maxKeyLength < uuidLength ? (key) => key.slice(0, maxKeyLength) : toUuid,
  };
}

const uuidLength = 36;

function toUuid(key: string): string {
  const variant = ((parseInt(key.charAt(16), 16) & 3) | 8).toString(16);
  return [
    key.slice(0, 8),
    key.slice(8, 12),
    `4${key.slice(13, 16)}`,
    variant + key.slice(17, 20),
    key.slice(20, 32),
  ].join("-");
}
