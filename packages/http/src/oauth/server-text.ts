import { visibleText } from "@toolweave/core/adapter";

const maxInputLength = 10_000;
const maxLength = 200;

/**
 * Sanitizes a server's message for an error's text: one short visible line without the secrets that were sent to it.
 */
export function serverText(text: unknown, secrets: readonly string[]): string {
  if (typeof text !== "string") return "";
  let sanitized = visibleText(text.slice(0, maxInputLength)).replace(/\s+/g, " ").trim();
  for (const secret of secrets) {
    if (secret.length < 4) continue;
    const base64 = Buffer.from(secret).toString("base64").replace(/=+$/, "");
    const inForm = new URLSearchParams([["", secret]]).toString().slice(1);
    for (const form of [secret, encodeURIComponent(secret), inForm, base64]) {
      sanitized = sanitized.replaceAll(form, "***");
    }
  }
  return sanitized.length > maxLength ? `${sanitized.slice(0, maxLength)}…` : sanitized;
}
