import { visibleText, type JsonSchema } from "@toolweave/core";

/**
 * Words that name a secret and little else: `token` alone counts words, `key` alone opens maps. Parted as in `apiKey`,
 * `api_key`, `API key`.
 */
const secret =
  /pass[-_ ]?(?:word|phrase|code|wd)|\bpasswd\b|\bpwd\b|secret|\bcredentials?\b|(?:api|access|private|auth|signing|encryption|ssh)[-_ ]?key|(?:access|api|auth|bearer|refresh|session|security|oauth|personal[-_ ]access)[-_ ]?token|(?:credit|debit)[-_ ]?card|card[-_ ]?number|\b(?:cvv|cvc)2?\b|\bpin[-_ ]?(?:code|number)\b|\b(?:otp|totp|mfa|2fa)[-_ ]?(?:code)?\b|one[-_ ]?time[-_ ]?(?:code|password)|social[-_ ]?security|recovery[-_ ]?(?:code|phrase)|seed[-_ ]?phrase/i;

/**
 * The field of a form asks for what the protocol forbids there: passwords, keys, tokens, cards. By its name and title;
 * a description may well say what not to enter.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#safe-url-handling
 */
export function isSecretField(
  name: string,
  { title, format, writeOnly, type }: JsonSchema,
): boolean {
  if (type === "boolean") return false;
  if (format === "password" || writeOnly === true) return true;
  return [name, title].some((text) => typeof text === "string" && secret.test(parted(seen(text))));
}

/** `apiKey` is written as `api_Key`, so that words begin where they do. */
function parted(text: string): string {
  return text.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").replaceAll(/[_.]/g, " ");
}

/** As a person reads it: without hidden characters, and wide letters as plain ones. */
function seen(text: string): string {
  return visibleText(text).normalize("NFKC");
}
