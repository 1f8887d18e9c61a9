import type { Parameter } from "../document/operation.ts";
import { resolveSchema } from "../schema/resolve-schema.ts";

/** A header that names a call, so that a server carries it out once (IETF draft, "The Idempotency-Key HTTP Header Field"). */
export interface IdempotencyHeader {
  /** In lower case. */
  readonly name: string;
  /** The header's value for a key of 64 hexadecimal digits. */
  value(key: string): string;
}

/** The header parameter that takes an idempotency key; `undefined`: there is none. */
export function idempotencyParameter(parameters: readonly Parameter[]): Parameter | undefined {
  return parameters.find(({ name, in: place }) => place === "header" && isIdempotencyHeader(name));
}

/** True for the name of a header that takes an idempotency key. */
export function isIdempotencyHeader(name: string): boolean {
  return /^(?:x-)?idempotency-key$/i.test(name.trim());
}

/**
 * How a key is written into a header: as a UUID (RFC 9562, version 4), which most APIs ask for; as hexadecimal digits, cut
 * at the longest that the schema allows, where that is shorter.
 */
export function idempotencyHeader({ name, schema }: Parameter): IdempotencyHeader {
  const resolved = resolveSchema(schema.schema, schema.defs);
  const { maxLength = Infinity } = typeof resolved === "object" ? resolved : {};
  const longest = typeof maxLength === "number" ? maxLength : Infinity;
  return {
    name: name.trim().toLowerCase(),
    value: longest < uuidLength ? (key) => key.slice(0, longest) : uuid,
  };
}

const uuidLength = 36;

function uuid(key: string): string {
  const variant = ((parseInt(key.charAt(16), 16) & 3) | 8).toString(16);
  return [
    key.slice(0, 8),
    key.slice(8, 12),
    `4${key.slice(13, 16)}`,
    variant + key.slice(17, 20),
    key.slice(20, 32),
  ].join("-");
}
