import { isDistinctive } from "../../auth/source-secrets.ts";

/** Takes secrets out of a text. */
export function withoutSecrets(given: string, secrets: readonly string[]): string {
  let clean = given;
  for (const secret of secrets) {
    if (clean.includes(secret) && isDistinctive(secret))
      clean = clean.replaceAll(secret, "[redacted]");
  }
  return clean;
}
