import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { ToolError } from "@toolweave/core";

/** Prefix of a secret's text form. The rest is base64. */
const secretPrefix = "whsec_";
/** Sizes of a secret, in bytes: "between 24 bytes (192 bits) and 64 bytes (512 bits)". */
const minBytes = 24;
const maxBytes = 64;

/** Version of signatures with a shared secret. */
const version = "v1";

/** Secrets as they are used: bytes. */
export type WebhookKeys = readonly [Buffer, ...Buffer[]];

/**
 * Creates a secret for a webhook: `whsec_` and 32 random bytes in base64.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function newWebhookSecret(): string {
  return `${secretPrefix}${randomBytes(32).toString("base64")}`;
}

/**
 * Reads secrets of the form `whsec_…`.
 *
 * @param where the name of the option, for errors.
 * @throws ToolError `invalid_configuration` for no secret, and for one of another form. No part of it is in the error.
 */
export function readSecrets(where: string, secrets: readonly string[]): WebhookKeys {
  const [first, ...others] = Array.isArray(secrets) ? secrets.map((text) => read(where, text)) : [];
  if (first === undefined) {
    throw new ToolError(
      "invalid_configuration",
      `${where} must list one secret or more; newWebhookSecret() creates one.`,
    );
  }
  return [first, ...others];
}

function read(where: string, text: unknown): Buffer {
  const encoded =
    typeof text === "string" && text.startsWith(secretPrefix)
      ? text.slice(secretPrefix.length)
      : "";
  // Node ignores invalid characters: the same bytes must give the same text again.
  const bytes = Buffer.from(encoded, "base64");
  const isBase64 = bytes.toString("base64").replace(/=+$/, "") === encoded.replace(/=+$/, "");
  if (isBase64 && bytes.length >= minBytes && bytes.length <= maxBytes) return bytes;
  throw new ToolError(
    "invalid_configuration",
    `${where} has a value that is not a secret: use "${secretPrefix}" and the base64 form of ${minBytes} to ${maxBytes} random bytes, as newWebhookSecret() returns it.`,
  );
}

/**
 * Creates the header `webhook-signature`: one signature for each key, so that a receiver with any of the secrets
 * accepts the message.
 *
 * @param timestamp seconds since the epoch.
 */
export function signatureHeader(
  keys: WebhookKeys,
  id: string,
  timestamp: number,
  body: string | Uint8Array,
): string {
  return keys
    .map((key) => `${version},${digest(key, id, String(timestamp), body).toString("base64")}`)
    .join(" ");
}

/** True if one of the signatures was made with one of the keys. Takes the same time wherever they differ. */
export function isSigned(
  keys: WebhookKeys,
  id: string,
  timestamp: string,
  body: Uint8Array,
  header: string,
): boolean {
  const signatures = header
    .split(" ")
    .slice(0, maxSignatures)
    .flatMap((part) => (part.startsWith(`${version},`) ? [part.slice(version.length + 1)] : []))
    .map((signature) => Buffer.from(signature, "base64"));
  let found = false;
  for (const key of keys) {
    const expected = digest(key, id, timestamp, body);
    for (const signature of signatures) {
      const isSame = signature.length === expected.length && timingSafeEqual(signature, expected);
      found = isSame || found;
    }
  }
  return found;
}

/** Signatures of a header beyond this number are ignored: each costs a comparison. */
const maxSignatures = 16;

function digest(key: Buffer, id: string, timestamp: string, body: string | Uint8Array): Buffer {
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
}
