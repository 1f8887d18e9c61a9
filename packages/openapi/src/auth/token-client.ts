import type { OAuthClientOptions } from "@toolweave/http";
import type { SecurityScheme } from "../document/operation.ts";
import { isRecord, ownString, ownValue, type JsonRecord } from "../document/record.ts";
import type { OAuthFlow, OAuthRegistration } from "./openapi-auth.ts";

/** The way in which the tokens of a scheme are obtained. */
export interface TokenClient {
  /** A person has to sign in, and the token belongs to that person. */
  readonly interactive: boolean;
  readonly flow: OAuthFlow;
  readonly options: Omit<OAuthClientOptions, "http" | "scopes">;
  /** Scopes that are requested for every operation. */
  readonly scopes: readonly string[];
  /** The URL at which tokens are renewed, if it differs from the one that issues them. */
  readonly refreshUrl?: string;
}

/** The places to which an API's document may send secrets. */
export interface DocumentTrust {
  /** The base of relative URLs in the document: its server. */
  readonly base: string | undefined;
  /** True for an origin that the host has configured. */
  trusts(origin: string): boolean;
}

type Endpoint = "tokenUrl" | "authorizationUrl" | "deviceAuthorizationUrl" | "discoveryUrl";

/** The endpoints that each flow requires, unless the server's metadata provides them. */
const needed: Readonly<Record<OAuthFlow, readonly Endpoint[]>> = {
  clientCredentials: ["tokenUrl"],
  authorizationCode: ["authorizationUrl", "tokenUrl"],
  deviceAuthorization: ["deviceAuthorizationUrl", "tokenUrl"],
};

/**
 * Determines how a registered host obtains the tokens of a scheme (OpenAPI 3.2 sections 4.27 to 4.29). Its client
 * secret, codes and refresh tokens are sent only to URLs that the host configured, to URLs of the document at origins
 * that the host trusts, and to those in the metadata of a server at such an origin.
 *
 * @returns the end of a sentence with the reason, if there is no way to obtain them.
 */
export function createTokenClient(
  scheme: string,
  { type, raw }: SecurityScheme,
  registration: OAuthRegistration,
  trust: DocumentTrust,
): TokenClient | string {
  const declared = isRecord(raw) ? raw : {};
  const flows = recordAt(declared, "flows");
  const flow = registration.flow ?? findFlow(flows, registration, type !== "oauth2");
  if (flow === undefined) {
    return `the document declares none of the flows clientCredentials, authorizationCode and deviceAuthorization for "${scheme}", or the registration lacks what they need: \`redirectUri\` or \`clientSecret\``;
  }
  const ofFlow = recordAt(flows, flow);
  const urls = new Endpoints(scheme, registration, trust);
  urls.add("tokenUrl", ofFlow);
  urls.add("authorizationUrl", ofFlow);
  urls.add("deviceAuthorizationUrl", ofFlow);
  const discovery = type === "openIdConnect" ? "openIdConnectUrl" : "oauth2MetadataUrl";
  urls.add("discoveryUrl", declared, discovery);
  const lacking = needed[flow].find((name) => urls.found[name] === undefined);
  if (lacking !== undefined && urls.found.discoveryUrl === undefined) {
    return urls.refused ?? `the document has no ${lacking} for "${scheme}": ${urls.line(lacking)}`;
  }
  const {
    clientId,
    clientSecret,
    redirectUri,
    scopes = [],
    clientAuthentication,
    resource,
  } = registration;
  const refreshUrl =
    registration.tokenUrl === undefined ? urls.trusted(ofFlow, "refreshUrl") : undefined;
  const interactive = flow !== "clientCredentials";
  const isOpenId = type === "openIdConnect" && interactive && !scopes.includes("openid");
  return {
    interactive,
    flow,
    scopes: isOpenId ? ["openid", ...scopes] : scopes,
    options: {
      ...urls.found,
      clientId,
      clientSecret,
      redirectUri,
      clientAuthentication,
      resource,
    },
    ...(refreshUrl === undefined || refreshUrl === urls.found.tokenUrl ? {} : { refreshUrl }),
  };
}

function findFlow(
  flows: JsonRecord,
  { redirectUri, clientSecret }: OAuthRegistration,
  any: boolean,
): OAuthFlow | undefined {
  const has = (flow: OAuthFlow): boolean => any || Object.hasOwn(flows, flow);
  if (redirectUri !== undefined && has("authorizationCode")) return "authorizationCode";
  if (clientSecret !== undefined && has("clientCredentials")) return "clientCredentials";
  return has("deviceAuthorization") ? "deviceAuthorization" : undefined;
}

/** The URLs of an authorization server; those that the host configured take precedence. */
class Endpoints {
  readonly found: Partial<Record<Endpoint, string>> = {};
  /** The reason for which a URL of the document was not accepted. */
  refused: string | undefined;
  readonly #scheme: string;
  readonly #registration: OAuthRegistration;
  readonly #trust: DocumentTrust;

  constructor(scheme: string, registration: OAuthRegistration, trust: DocumentTrust) {
    this.#scheme = scheme;
    this.#registration = registration;
    this.#trust = trust;
  }

  add(name: Endpoint, declared: JsonRecord, member: string = name): void {
    const url = this.#registration[name] ?? this.#declaredUrl(declared, member);
    if (url === undefined) return;
    // A person opens this URL and sees it; no secret is sent to it.
    if (name === "authorizationUrl" || url === this.#registration[name]) this.found[name] = url;
    else if (this.#isTrusted(url)) this.found[name] = url;
    else
      this.refused ??= `the document sends secrets to ${new URL(url).origin}, which the host does not trust: ${this.line(name, url)}`;
  }

  trusted(declared: JsonRecord, member: string): string | undefined {
    const url = this.#declaredUrl(declared, member);
    return url !== undefined && this.#isTrusted(url) ? url : undefined;
  }

  /** Formats the option that configures a URL. */
  line(name: Endpoint, url: string = "https://…"): string {
    const { origin, pathname } = URL.parse(url) ?? { origin: url, pathname: "" };
    return `set auth: { schemes: { ${JSON.stringify(this.#scheme)}: { …, ${name}: "${origin}${pathname}" } } }`;
  }

  /**
   * Returns a URL that the document declares. Returns none if the host has configured a discovery document: its
   * metadata is then trusted, and the document must not redirect to another server.
   *
   * Relative URLs are resolved against the server (OpenAPI 3.0.4 "Relative References in URLs", 3.1 section 4.7, 3.2
   * section 4.5.2).
   */
  #declaredUrl(declared: JsonRecord, member: string): string | undefined {
    if (this.#registration.discoveryUrl !== undefined) return undefined;
    const written = ownString(declared, member);
    if (written === undefined || written === "") return undefined;
    const url = URL.parse(written, this.#trust.base);
    return url === null || !/^https?:$/.test(url.protocol) ? undefined : url.href;
  }

  #isTrusted(url: string): boolean {
    return this.#trust.trusts(new URL(url).origin);
  }
}

function recordAt(record: JsonRecord, member: string): JsonRecord {
  const value = ownValue(record, member);
  return isRecord(value) ? value : {};
}
