import { ToolError, type Awaitable } from "@toolweave/core";
import { isThenable } from "@toolweave/core/adapter";
import type { Credential } from "@toolweave/core/stores";
import type {
  BasicCredential,
  ClientCertificate,
  CredentialRequest,
  Secret,
} from "./openapi-auth.ts";
import { isBasic, isCertificate } from "./check-auth.ts";

/** The credentials that a host can configure, other than a registration. */
export type ConfiguredCredential = Secret | BasicCredential | ClientCertificate;

/** Returns a credential that does not depend on the request; `undefined` for a function, which has to be called. */
export function toFixedCredential(given: ConfiguredCredential): Credential | undefined {
  if (typeof given === "string") return { type: "secret", secret: given };
  if (typeof given === "function") return undefined;
  if (isCertificate(given)) return { type: "certificate", ...given };
  return isBasic(given) ? { type: "password", ...given } : { type: "secret", secret: "" };
}

/**
 * Returns the configured credential, or the one that the host's function returns for this request. `undefined`: the
 * function has none for it.
 *
 * @throws ToolError `auth_required` if the function fails, or returns something that is not a credential.
 */
export function resolveCredential(
  given: ConfiguredCredential,
  request: CredentialRequest,
): Awaitable<Credential | undefined> {
  if (typeof given !== "function") return toFixedCredential(given) as Credential;
  const { scheme } = request;
  const failed = (cause: unknown): never => {
    throw new ToolError(
      "auth_required",
      `The credential "${scheme}" could not be obtained: the host's function for it failed. Sign in again or check \`auth\`.`,
      { cause },
    );
  };
  let value: Awaitable<string | Credential | undefined>;
  try {
    value = given(request);
  } catch (error) {
    return failed(error);
  }
  return isThenable(value)
    ? Promise.resolve(value).then(toCredential, failed)
    : toCredential(value);
}

/** Converts the result of a function. Errors in it are reported only when it is checked against its scheme. */
function toCredential(value: unknown): Credential | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "object" && value !== null && "type" in value) return value as Credential;
  return { type: "secret", secret: typeof value === "string" ? value : "" };
}
