import { ToolError } from "@toolweave/core";

/** What a server said when it refused a request for its credentials (RFC 6750 section 3, RFC 9728 section 5.1). */
export interface Challenge {
  readonly status: 401 | 403;
  /** Where the server describes itself. */
  readonly metadataUrl?: URL;
  /** What it asks for. May be empty. */
  readonly scopes: readonly string[];
  /** `insufficient_scope` */
  readonly error?: string;
}

/** A person has to sign in: `auth_required`. A call asks for it; a list of tools can only say so. */
export class SignInRequired extends ToolError {
  readonly challenge: Challenge;

  /**
   * @param source its name.
   * @param challenge what the server said.
   */
  constructor(source: string, challenge: Challenge) {
    const { status, scopes } = challenge;
    const more = status === 403 && scopes.length > 0 ? ` for ${scopes.join(" ")}` : "";
    super(
      "auth_required",
      `The MCP server ${source} wants a person to sign in${more}: run \`toolweave login ${source}\`, or use signIn() of @toolweave/mcp.`,
    );
    this.challenge = challenge;
  }
}
