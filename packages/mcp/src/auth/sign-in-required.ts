import { ToolError } from "@toolweave/core";
import { parseChallenges } from "@toolweave/http/fields";
import type { HttpRejection } from "../transport/messages/mcp-connection.ts";

/** Challenge of a server that has rejected a request's credentials (RFC 6750 section 3, RFC 9728 section 5.1). */
export interface Challenge {
  readonly status: 401 | 403;
  /** URL of the server's metadata. */
  readonly metadataUrl?: URL;
  /** Requested scopes. May be empty. */
  readonly scopes: readonly string[];
  /** `insufficient_scope` */
  readonly error?: string;
}

/** Error `auth_required`: a person has to sign in. A call suspends for it; a list of tools fails with it. */
export class SignInRequired extends ToolError {
  readonly challenge: Challenge;

  /**
   * @param source Name of the source.
   * @param challenge Challenge of the server.
   */
  constructor(source: string, challenge: Challenge) {
    const { status, scopes } = challenge;
    const more = status === 403 && scopes.length > 0 ? ` for ${scopes.join(" ")}` : "";
    super(
      "auth_required",
      `The MCP server ${source} requires a person to sign in${more}: run \`toolweave login ${source}\`, or use signIn() of @toolweave/mcp.`,
    );
    this.challenge = challenge;
  }
}

/** Maximum number of scopes of a challenge. */
const maxScopes = 100;

/**
 * Reads the challenge of a rejection. Of several challenges a bearer one is used, if possible one that names the metadata
 * of the server; an invalid URL is omitted.
 */
export function readChallenge({ status, wwwAuthenticate = "" }: HttpRejection): Challenge {
  const bearers = parseChallenges(wwwAuthenticate).filter(({ scheme }) => scheme === "bearer");
  const { parameters = new Map<string, string>() } =
    bearers.find((one) => one.parameters.has("resource_metadata")) ?? bearers[0] ?? {};
  const url = URL.parse(parameters.get("resource_metadata") ?? "");
  const error = parameters.get("error");
  // RFC 6749 appendix A.4: characters of a scope.
  const scopes = (parameters.get("scope") ?? "")
    .split(" ")
    .filter((one) => /^[!#-[\]-~]+$/.test(one));
  return {
    status,
    ...(url === null ? {} : { metadataUrl: url }),
    scopes: [...new Set(scopes)].slice(0, maxScopes),
    ...(error === undefined ? {} : { error }),
  };
}
