import { ToolError, type JsonObject } from "@toolweave/core";
import type { TokenCredential } from "@toolweave/core/stores";
import * as oauth from "oauth4webapi";
import type { AuthorizationServer } from "./authorization-server.ts";
import type { AuthorizationStart } from "./oauth-types.ts";
import { parseUrl } from "../address/origin.ts";
import { refusalError, serverText } from "./refusal-error.ts";

/** Begins the authorization code flow (RFC 6749 section 4.1.1, RFC 7636 section 4.3). */
export async function beginAuthorization(
  server: AuthorizationServer,
  signal: AbortSignal | undefined,
): Promise<AuthorizationStart> {
  const { clientId, redirectUri, scopes, resource } = server.options;
  const { openId = scopes?.includes("openid") === true } = server.options;
  const url = await server.endpoint("authorizationUrl", signal);
  const issuer = (await server.metadata(signal))?.issuer;
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const nonce = openId ? oauth.generateRandomNonce() : undefined;
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: server.scope,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    resource,
  };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return {
    url: url.href,
    state: {
      verifier,
      state,
      ...(nonce === undefined ? {} : { nonce }),
      ...(redirectUri === undefined ? {} : { redirectUri }),
      ...(issuer === undefined ? {} : { issuer }),
    },
  };
}

/** Ends it: checks what came back, and trades the code for a token (RFC 6749 section 4.1.3). */
export async function finishAuthorization(
  server: AuthorizationServer,
  answer: string,
  stored: JsonObject,
  signal: AbortSignal | undefined,
): Promise<TokenCredential> {
  const { verifier, nonce, ...expected } = readStoredState(stored);
  const metadata = await server.metadata(signal);
  if (metadata?.issuer !== expected.issuer) {
    throw new ToolError(
      "auth_required",
      "The sign-in was begun with another authorization server than the one that is used now. A person has to begin again.",
    );
  }
  const namesItself = metadata?.authorization_response_iss_parameter_supported === true;
  const code = callbackCode(answer, { ...expected, namesItself });
  const parameters = { code, code_verifier: verifier, redirect_uri: expected.redirectUri };
  return server.token({ grantType: "authorization_code", parameters, nonce }, signal);
}

interface StoredAuthorization extends Omit<ExpectedCallback, "namesItself"> {
  readonly verifier: string;
  readonly nonce: string | undefined;
}

function readStoredState(stored: JsonObject): StoredAuthorization {
  const { verifier, state, nonce, redirectUri, issuer } = stored;
  const optional = (value: unknown): value is string | undefined =>
    value === undefined || typeof value === "string";
  const isStored =
    typeof verifier === "string" &&
    typeof state === "string" &&
    optional(nonce) &&
    optional(redirectUri) &&
    optional(issuer);
  if (isStored) return { verifier, state, nonce, redirectUri, issuer };
  throw new ToolError(
    "invalid_configuration",
    "finishAuthorization: the state is not one that beginAuthorization gave.",
  );
}

/** The parameters that the callback of a sign-in must have. */
interface ExpectedCallback {
  readonly state: string;
  readonly redirectUri: string | undefined;
  readonly issuer: string | undefined;
  /** The server is known to name itself in its answers. */
  readonly namesItself: boolean;
}

/**
 * The code in what came back from a sign-in (RFC 6749 section 4.1.2, RFC 9207): the URL to which the server sent the
 * person, or the bare code.
 *
 * @throws ToolError `auth_required` when it does not belong to the sign-in that was begun, or the person or the server
 * said no; `unavailable` when the server could not.
 */
function callbackCode(answer: string, expected: ExpectedCallback): string {
  const text = answer.trim();
  const { redirectUri } = expected;
  const isUrl =
    /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ||
    (redirectUri !== undefined && text.startsWith(redirectUri));
  return isUrl ? codeFromUrl(text, expected) : bareCode(text, expected);
}

function codeFromUrl(text: string, expected: ExpectedCallback): string {
  const url = parseUrl(text);
  if (url === undefined) throw unusable("is not a URL that can be read");
  if (!leadsTo(url, expected.redirectUri)) {
    throw unusable("is not the address to which this sign-in leads back");
  }
  const { searchParams } = url;
  const single = (name: string): string | undefined => {
    const values = searchParams.getAll(name);
    if (values.length > 1) throw unusable(`says more than one "${name}"`);
    return values[0];
  };
  if (single("state") !== expected.state) throw unusable("belongs to another sign-in");
  checkIssuer(single("iss"), expected);
  const error = single("error");
  if (error !== undefined) {
    const { issuer } = expected;
    const known = /^[!#-[\]-~]{1,64}$/.test(error) ? error : "an error";
    throw refusalError(issuer === undefined ? undefined : new URL(issuer).origin, {
      error: known,
      description: serverText(single("error_description"), [expected.state]),
    });
  }
  return checkedCode(single("code"));
}

function bareCode(text: string, { namesItself }: ExpectedCallback): string {
  if (/(?:^|[?&#])(?:code|state|error)=/.test(text)) {
    throw unusable("is a part of an address: give the whole address");
  }
  if (namesItself) {
    throw unusable(
      "is no address, and only the whole address to which the server led back says which server it was",
    );
  }
  return checkedCode(text);
}

/** RFC 6749 appendix A.11. */
function checkedCode(code: string | undefined): string {
  if (code !== undefined && /^[\x20-\x7e]{1,10000}$/.test(code)) return code;
  throw unusable("holds no code");
}

/** RFC 9207 section 2.4: which server answered, so that one server's code is not sent to another. */
function checkIssuer(iss: string | undefined, { issuer, namesItself }: ExpectedCallback): void {
  if (iss === undefined && !namesItself) return;
  if (iss !== undefined && (issuer === undefined || iss === issuer)) return;
  throw unusable("does not come from the authorization server at which the sign-in was begun");
}

/** The address is the redirect URI, with whatever was added to its query. */
function leadsTo(url: URL, redirectUri: string | undefined): boolean {
  if (redirectUri === undefined) return true;
  const expected = parseUrl(redirectUri);
  if (expected === undefined) return false;
  const matchesParameters = [...expected.searchParams].every(([name, value]) =>
    url.searchParams.getAll(name).includes(value),
  );
  return (
    matchesParameters &&
    url.protocol === expected.protocol &&
    url.host === expected.host &&
    url.pathname === expected.pathname
  );
}

function unusable(why: string): ToolError {
  return new ToolError(
    "auth_required",
    `The answer to the sign-in cannot be used: it ${why}. A person has to sign in again: repeat the call.`,
  );
}
