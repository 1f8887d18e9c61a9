import type { Finding } from "../contract/finding.ts";

/** Shorter ones stand in too many other words. */
const shortest = 4;

/**
 * What was found, without the credentials that the manifest names: logs and reports are read by
 * others.
 */
export function withoutSecrets(finding: Finding, secrets: readonly string[] = []): Finding {
  const clean = (text: string): string =>
    secrets
      .filter((secret) => secret.length >= shortest)
      .reduce((rest, secret) => rest.replaceAll(secret, "[the secret]"), text);
  const message = clean(finding.message);
  if (finding.status !== "failed") return { ...finding, message };
  return { ...finding, message, done: clean(finding.done), seen: clean(finding.seen) };
}
