import { ToolError, type Caller, type JsonObject, type JsonValue } from "@toolweave/core";
import { checkOptions, checks, resolvePointer, type OptionChecks } from "@toolweave/core/adapter";
import { getBearerToken } from "./http-callers.ts";
import type { Authenticate, ProtectedResource } from "./http-options.ts";
import { defaultCaller, jwtCallers, type JwtOptions } from "./jwt-callers.ts";
import { hasNamedToken, namedTokens, type NamedToken } from "./named-tokens.ts";

/** Claims that say who a caller is: the name of a claim, or a JSON pointer such as `/realm_access/roles`. */
export interface CallerClaims {
  /** Default: `sub`. */
  readonly id?: string;
  /** A list of texts, or one text with spaces. Default: `roles`. */
  readonly roles?: string;
  /** The organization of the caller, which is put before the id: `acme/ada`. A token without it is refused. Default: none. */
  readonly tenant?: string;
  /** The program that acts for the caller. Default: `client_id`, else `azp`. */
  readonly agent?: string;
}

/** An identity provider whose signed tokens name callers. */
export interface CallerIssuer extends Omit<JwtOptions, "callerOf"> {
  readonly claims?: CallerClaims;
  /**
   * Put before the ids of this issuer, such as `corp:`, so that two issuers never have the same caller. Required if there
   * are several. Default: none.
   */
  readonly prefix?: string;
}

/** Callers that have tokens: of their own, or of identity providers. */
export interface GatewayCallersOptions {
  /** By name: see `namedTokens`. */
  readonly tokens?: Readonly<Record<string, NamedToken>>;
  readonly issuers?: readonly CallerIssuer[];
}

/** Options for `listenHttp`: spread it into them. */
export interface GatewayCallers {
  readonly authenticate: Authenticate;
  /** Absent: there is no identity provider. */
  readonly protectedResource?: ProtectedResource;
}

const claimChecks: OptionChecks<CallerClaims> = {
  id: checks.filledText,
  roles: checks.filledText,
  tenant: checks.filledText,
  agent: checks.filledText,
};

/**
 * Authenticates the callers of a gateway by named tokens and by the tokens of several identity providers. What one caller
 * has (sessions, limits, approvals that are remembered, artifacts) is never another's, so that ids of different origin
 * never are the same.
 *
 * @throws ToolError `invalid_configuration` when an option is invalid.
 * @example
 * ```ts
 * const publicUrl = "https://tools.example.com/mcp";
 * const { token, sha256 } = createToken(); // The token is for its caller, the digest for the configuration.
 * const callers = gatewayCallers({
 *   issuers: [{ issuer: "https://id.example.com", audience: publicUrl }],
 *   tokens: { ci: { sha256, roles: ["deploy"] } },
 * });
 * await listenHttp(gateway, { host: "0.0.0.0", port: 8137, publicUrl, ...callers });
 * ```
 */
export function gatewayCallers(options: GatewayCallersOptions): GatewayCallers {
  checkOptions("gatewayCallers", options, ["tokens", "issuers"]);
  const { tokens = {}, issuers = [] } = options;
  checkPrefixes(issuers);
  const byToken = namedTokens(tokens);
  const made = issuers.map(({ claims = {}, prefix = "", ...rest }) => {
    checkOptions(`gatewayCallers: claims of ${rest.issuer}`, claims, claimChecks);
    return jwtCallers({ ...rest, callerOf: (all) => toCaller(all, claims, prefix) });
  });
  const authenticateBy = new Map(
    issuers.map(({ issuer }, index) => [issuer, made[index]?.authenticate as Authenticate]),
  );
  const authenticate: Authenticate = async (request) => {
    const token = getBearerToken(request);
    if (token === undefined) return undefined;
    if (hasNamedToken(request)) return byToken(request);
    const chosen = authenticateBy.get(await readIssuer(token));
    return (
      chosen?.(request) ?? {
        refused: "invalid_token",
        reason: "The token is not of an issuer that this gateway accepts.",
      }
    );
  };
  if (made.length === 0) return { authenticate };
  const scopes = [
    ...new Set(made.flatMap(({ protectedResource }) => protectedResource.scopes ?? [])),
  ];
  const authorizationServers = issuers.map(({ issuer }) => issuer);
  const protectedResource = { authorizationServers, ...(scopes.length === 0 ? {} : { scopes }) };
  return { authenticate, protectedResource };
}

/** The issuer that a token names, to choose the one that verifies it. */
async function readIssuer(token: string): Promise<string> {
  const { decodeJwt } = await import("jose");
  try {
    return decodeJwt(token).iss ?? "";
  } catch {
    return "";
  }
}

/** `token:` begins the ids of named tokens. */
const reserved = "token:";

/** A prefix has its only colon at its end, so that no id of one issuer begins with the prefix of another. */
function checkPrefixes(issuers: readonly CallerIssuer[]): void {
  const prefixes = new Set<string>();
  for (const { issuer, prefix } of issuers) {
    const fault =
      prefix === undefined
        ? issuers.length > 1
          ? 'prefix is missing: several issuers need one each, such as "corp:"'
          : undefined
        : !/^[\w.-]+:$/.test(prefix) || prefix === reserved
          ? `prefix is "${prefix}"; use one such as "corp:"`
          : prefixes.has(prefix)
            ? `prefix "${prefix}" is another issuer's, too`
            : undefined;
    if (fault !== undefined) {
      throw new ToolError("invalid_configuration", `gatewayCallers: ${issuer}: ${fault}.`);
    }
    prefixes.add(prefix ?? "");
  }
}

/** The caller that claims name; `undefined`: none, and the token is refused. */
function toCaller(claims: JsonObject, names: CallerClaims, prefix: string): Caller | undefined {
  const { agent: usualAgent, id: subject } = defaultCaller(claims) ?? {};
  const id = names.id === undefined ? subject : readClaim(claims, names.id);
  const tenant = names.tenant === undefined ? undefined : readClaim(claims, names.tenant);
  if (!isFilled(id) || (prefix === "" && id.startsWith(reserved))) return undefined;
  // With a slash in it, a tenant and an id could be those of another tenant.
  if (names.tenant !== undefined && (!isFilled(tenant) || tenant.includes("/"))) return undefined;
  const roles = toRoles(readClaim(claims, names.roles ?? "roles"));
  const agent = names.agent === undefined ? usualAgent : readClaim(claims, names.agent);
  return {
    id: `${prefix}${tenant === undefined ? "" : `${tenant as string}/`}${id}`,
    ...(roles === undefined ? {} : { roles }),
    ...(isFilled(agent) ? { agent } : {}),
  };
}

function readClaim(claims: JsonObject, name: string): JsonValue | undefined {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.startsWith("/") ? (resolvePointer(claims, name) as JsonValue | undefined) : undefined;
}

function toRoles(value: JsonValue | undefined): readonly string[] | undefined {
  if (typeof value === "string") return value.split(/\s+/).filter((role) => role !== "");
  return Array.isArray(value) && value.every((role) => typeof role === "string")
    ? value
    : undefined;
}

function isFilled(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value !== "";
}
