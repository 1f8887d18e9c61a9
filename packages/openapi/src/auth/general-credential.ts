import { toMaterial } from "./credential-form.ts";
import { resolveCredential, type ConfiguredCredential } from "./resolve-credential.ts";
import type { OpenApiAuth } from "./openapi-auth.ts";
import { generalUses } from "./security.ts";
import type { SourceSecrets } from "./source-secrets.ts";

/**
 * The headers that a document is fetched with before it says what it wants: everything but API keys, whose place it names,
 * and what belongs to a caller.
 *
 * @throws ToolError `auth_required` when the credential cannot be had.
 */
export async function generalCredential(
  source: string,
  auth: OpenApiAuth,
  secrets: SourceSecrets,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const [use] = generalUses(auth);
  if (use === undefined) return {};
  const { scheme, scopes, form, given } = use;
  const request = { source, scheme, scopes, signal };
  const credential = await resolveCredential(given as ConfiguredCredential, request);
  if (credential === undefined) return {};
  const material = toMaterial(scheme, form, credential);
  for (const secret of material.secrets) secrets.renewed(secret);
  return material.type === "text" ? { [material.name]: material.value } : {};
}
