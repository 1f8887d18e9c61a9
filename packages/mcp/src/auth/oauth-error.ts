import {
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
} from "@modelcontextprotocol/client";
import { ToolError } from "@toolweave/core";
import { refusalError, serverText } from "@toolweave/http";

/** The SDK's errors as ours. */
export async function readOAuthErrors<T>(
  at: URL,
  ask: () => Promise<T>,
  secrets: readonly string[] = [],
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (ToolError.is(error)) throw error;
    if (error instanceof OAuthError) {
      const description = serverText(error.message, secrets);
      const known = /^[!#-[\]-~]{1,64}$/.test(error.code) ? error.code : "an error";
      const { code, message } = refusalError(at.origin, { error: known, description });
      throw new ToolError(code, message, { cause: error });
    }
    const options = { cause: error, audience: "host" } as const;
    const server = `The authorization server ${at.origin}`;
    if (error instanceof IssuerMismatchError) {
      throw new ToolError(
        "upstream",
        `${server} describes another issuer than the one that was asked (RFC 8414 section 3.3), so that nothing it says is used.`,
        options,
      );
    }
    if (error instanceof RegistrationRejectedError) {
      const said = serverText(error.body, secrets);
      throw new ToolError(
        "upstream",
        `${server} did not register the host (status ${error.status}: ${said}). Register it there by hand, and pass auth.oauth.clientId.`,
        options,
      );
    }
    const said = error instanceof Error ? serverText(error.message, secrets) : "";
    throw new ToolError("upstream", `${server} cannot be used: ${said}`, options);
  }
}

/** True when a server does not know the client, or not any more. */
export function isUnknownClient(error: unknown): boolean {
  const code = getErrorCode(error);
  return code === "invalid_client" || code === "unauthorized_client";
}

/** RFC 6749 section 5.2. */
export function getErrorCode(error: unknown): string | undefined {
  return ToolError.is(error) && error.cause instanceof OAuthError ? error.cause.code : undefined;
}
