import type { OAuthClientOptions } from "@toolweave/http";
import type { SecurityScheme } from "../document/operation.ts";
import { isRecord, ownString, ownValue, type JsonRecord } from "../document/record.ts";
import type { OAuthFlow, OAuthRegistration } from "./openapi-auth.ts";

/** How the tokens of a scheme are obtained. */
export interface TokenClient {
  /** A person has to sign in, and the token is theirs. */
  readonly interactive: boolean;
  readonly flow: OAuthFlow;
  readonly options: Omit<OAuthClientOptions, "http" | "scopes">;
  /** Asked for whatever the operation. */
  readonly scopes: readonly string[];
  /** Where tokens are renewed, when that is not where they are issued. */
  readonly refreshUrl?: string;
}

/** Where an API's document may send what is secret. */
export interface DocumentTrust {
  /** What relative URLs of the document are seen from: its server. */
  readonly base: string | undefined;
  /** The host has given this origin. */
  trusts(origin: string): boolean;
}

type Endpoint = "tokenUrl" | "authorizationUrl" | "deviceAuthorizationUrl" | "discoveryUrl";

/** What each flow cannot do without, unless the server describes itself. */
const needed: Readonly<Record<OAuthFlow, readonly Endpoint[]>> = {
  clientCredentials: ["tokenUrl"],
  authorizationCode: ["authorizationUrl", "tokenUrl"],
  deviceAuthorization: ["deviceAuthorizationUrl", "tokenUrl"],
};

/**
 * How a host that is registered gets the tokens of a scheme (OpenAPI 3.2 sections 4.27 to 4.29). Its secret, codes
 * and refresh tokens go to URLs of its own, to those of the document at origins that the host has given, and to what
 * a server at such an origin says of itself.
 *
 * @returns the end of a sentence that says why there is no way to one.
 */
export function tokenClient(
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
    return (
      urls.refused ?? `the document gives no ${lacking} for "${scheme}": ${urls.line(lacking)}`
    );
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

/** The URLs of an authorization server, the host's own first. */
class Endpoints {
  readonly found: Partial<Record<Endpoint, string>> = {};
  /** Why one that the document gives was not taken. */
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
    const url = this.#registration[name] ?? this.#declared(declared, member);
    if (url === undefined) return;
    // A person is sent there, and sees where; nothing secret goes there with them.
    if (name === "authorizationUrl" || url === this.#registration[name]) this.found[name] = url;
    else if (this.#isTrusted(url)) this.found[name] = url;
    else
      this.refused ??= `the document sends what is secret to ${new URL(url).origin}, which the host has not given: ${this.line(name, url)}`;
  }

  trusted(declared: JsonRecord, member: string): string | undefined {
    const url = this.#declared(declared, member);
    return url !== undefined && this.#isTrusted(url) ? url : undefined;
  }

  /** What to write to give it. */
  line(name: Endpoint, url: string = "https://…"): string {
    const { origin, pathname } = URL.parse(url) ?? { origin: url, pathname: "" };
    return `pass auth: { schemes: { ${JSON.stringify(this.#scheme)}: { …, ${name}: "${origin}${pathname}" } } }`;
  }

  /**
   * None where the host has said which server it is: whatever that says of itself is the host's word, and a document
   * must not send anybody elsewhere.
   *
   * Relative ones are seen from the server (OpenAPI 3.0.4 "Relative References in URLs", 3.1 section 4.7, 3.2 section 4.5.2).
   */
  #declared(declared: JsonRecord, member: string): string | undefined {
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
