import { mask } from "./spans.ts";

const parameter =
  "key|api[_-]?key|access[_-]?token|auth[_-]?token|refresh[_-]?token|id[_-]?token|token|client[_-]?secret|password|passwd|pwd|secret|sig|signature|x-amz-signature|x-goog-signature|auth";
const header =
  "(?:proxy-)?authorization|x-api-key|api-key|x-auth-token|x-access-token|(?:set-)?cookie";

/** A query parameter, or a header's line, whose name marks its value as secret. */
const named = new RegExp(
  `([?&;](?:${parameter})=)[^&#\\s"'<>\\\\]+|((?<![\\w-])(?:${header})["']?\\s{0,4}[:=]\\s{0,4}["']?(?:(?:basic|bearer|digest|token)\\s+)?)[^\\r\\n"'\\\\]+`,
  "gi",
);
const secretKey = new RegExp(`^(?:${header})$`, "i");

/** Redacts the values whose names mark them as secret. */
export function redactNamedValues(text: string): string {
  if (!text.includes("=") && !text.includes(":")) return text;
  return text.replace(named, (_, query?: string, line?: string) => `${query ?? line}${mask}`);
}

/** True for the name of a header that holds a credential. */
export function isSecretKey(key: string): boolean {
  return secretKey.test(key);
}
