import { SecretSet } from "@toolweave/core";
import { secretsInArguments, isDistinctive } from "./argument-secrets.ts";
import type { McpServer } from "./mcp-options.ts";

const secretName = /auth|cookie|credential|key|pass|pwd|secret|session|token/i;

/** What the source was given to keep: headers, environment variables and arguments that look so. */
export function getSecrets(server: McpServer): SecretSet {
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
  for (const secret of secretsInArguments(server)) secrets.add(secret);
  return secrets;
}
