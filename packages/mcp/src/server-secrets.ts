import { SecretSet } from "@toolweave/core";
import type { McpServer } from "./mcp-options.ts";

const secretName = /auth|cookie|credential|key|pass|pwd|secret|session|token/i;

/** What the source was given to keep: headers and environment variables whose names say so. */
export function secretsOf(server: McpServer): SecretSet {
  const secrets = new SecretSet();
  const given = {
    ...("env" in server ? server.env : {}),
    ...("headers" in server ? server.headers : {}),
  };
  for (const [name, value] of Object.entries(given)) {
    if (!secretName.test(name)) continue;
    // `Bearer …`: the scheme alone is no secret.
    const secret = value.slice(value.lastIndexOf(" ") + 1);
    if (isDistinctive(secret)) secrets.add(secret);
  }
  return secrets;
}

/** A short plain word, such as `true`, stands in answers that say nothing of it. */
function isDistinctive(secret: string): boolean {
  return secret.length >= 16 || (secret.length >= 6 && !/^[A-Za-z]*$/.test(secret));
}
