import { isThenable, ToolError, type Awaitable } from "@toolweave/core";
import type { BasicCredential, OpenApiAuth, Secret } from "../openapi-options.ts";
import type { SecurityScheme, SecurityUse } from "../document/operation.ts";

/** One credential and its place in a request. */
export interface CredentialUse {
  /** What it is called in errors. */
  readonly credential: string;
  readonly in: "header" | "query" | "cookie";
  /** Header names in lower case. */
  readonly name: string;
  readonly secret: Secret;
  /** Before the secret: `Bearer `. */
  readonly prefix: string;
  /** What must not come out either. */
  readonly alsoSecret?: readonly string[];
}

/** What an operation's requests are sent with. */
export interface CredentialPlan {
  readonly uses: readonly CredentialUse[];
  /** What the operation asks for, by name, for the person who has to supply it. */
  readonly wanted: readonly string[];
  /** Why no request can be authorised; the end of a sentence. */
  readonly unsupported?: string;
}

/**
 * Chooses the credentials of an operation (OpenAPI 3.2, "Security Requirement Object"): the first alternative for
 * which everything is there; when there is none, what was given.
 */
export function credentialPlan(
  security: readonly (readonly SecurityUse[])[],
  auth: OpenApiAuth,
): CredentialPlan {
  const wanted = [...new Set(security.flat().map(({ scheme }) => scheme))];
  const unsupported = unsupportedReason(security);
  const rest = { wanted, ...(unsupported === undefined ? {} : { unsupported }) };
  for (const combination of security) {
    const uses = combination.map((use) => credentialFor(use, auth));
    if (uses.length > 0 && uses.every((use) => use !== undefined)) return { uses, ...rest };
  }
  // Credentials are optional here, and there are not enough of them.
  if (security.some((combination) => combination.length === 0)) return { uses: [], ...rest };
  return { uses: whatWasGiven(security, auth), ...rest };
}

function whatWasGiven(
  security: readonly (readonly SecurityUse[])[],
  auth: OpenApiAuth,
): readonly CredentialUse[] {
  const places = new Map<string, CredentialUse>();
  const add = (use: CredentialUse | undefined): void => {
    if (use === undefined) return;
    const place = `${use.in} ${use.name}`;
    if (!places.has(place)) places.set(place, use);
  };
  for (const use of security.flat()) add(credentialFor(use, auth));
  if (auth.bearer !== undefined) add(bearerUse("bearer", auth.bearer));
  if (auth.basic !== undefined) add(basicUse("basic", auth.basic));
  return [...places.values()];
}

function credentialFor(
  { scheme, declaration }: SecurityUse,
  auth: OpenApiAuth,
): CredentialUse | undefined {
  if (declaration === undefined) return undefined;
  const { schemes } = auth;
  const own = schemes !== undefined && Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined;
  switch (declaration.type) {
    case "apiKey": {
      const { name, in: place = "header" } = declaration;
      const secret = own ?? auth.apiKey;
      if (name === undefined || secret === undefined || !isSecret(secret)) return undefined;
      return {
        credential: scheme,
        in: place,
        name: place === "header" ? name.toLowerCase() : name,
        secret,
        prefix: "",
      };
    }
    case "http":
      if (declaration.scheme === "basic") {
        const basic = own ?? auth.basic;
        return basic === undefined || isSecret(basic) ? undefined : basicUse(scheme, basic);
      }
      return declaration.scheme === "bearer" ? bearerFor(scheme, own ?? auth.bearer) : undefined;
    case "oauth2":
    case "openIdConnect":
      return bearerFor(scheme, own ?? auth.bearer);
    case "mutualTLS":
      return undefined;
  }
}

function bearerFor(
  credential: string,
  secret: Secret | BasicCredential | undefined,
): CredentialUse | undefined {
  return secret !== undefined && isSecret(secret) ? bearerUse(credential, secret) : undefined;
}

function bearerUse(credential: string, secret: Secret): CredentialUse {
  return { credential, in: "header", name: "authorization", secret, prefix: "Bearer " };
}

function basicUse(credential: string, { username, password }: BasicCredential): CredentialUse {
  const secret = Buffer.from(`${username}:${password}`).toString("base64");
  return {
    credential,
    in: "header",
    name: "authorization",
    secret,
    prefix: "Basic ",
    alsoSecret: [password],
  };
}

function isSecret(value: Secret | BasicCredential): value is Secret {
  return typeof value === "string" || typeof value === "function";
}

/** Says so when every alternative needs something that cannot be done yet. */
function unsupportedReason(security: readonly (readonly SecurityUse[])[]): string | undefined {
  if (security.length === 0) return undefined;
  const blocked = security.map((combination) => combination.find(isUnsupported));
  const [first] = blocked;
  if (first === undefined || blocked.includes(undefined)) return undefined;
  const { scheme, declaration } = first;
  return declaration === undefined
    ? `it uses the security scheme "${scheme}", which the document does not declare`
    : `it needs "${scheme}" (${kindOf(declaration)}), which is not supported yet`;
}

function isUnsupported({ declaration }: SecurityUse): boolean {
  if (declaration === undefined || declaration.type === "mutualTLS") return true;
  const { type, scheme } = declaration;
  return type === "http" && scheme !== "basic" && scheme !== "bearer";
}

function kindOf({ type, scheme }: SecurityScheme): string {
  return scheme === undefined ? type : `${type} ${scheme}`;
}

/**
 * The secret's value.
 *
 * @throws ToolError `auth_required` when the function that supplies it fails, or it is no text or an empty one.
 */
export function secretValue({ secret, credential }: CredentialUse): Awaitable<string> {
  const checked = (value: unknown): string => {
    if (typeof value === "string" && value !== "") return value;
    throw new ToolError(
      "auth_required",
      `The credential "${credential}" is missing: what the host gave for it is no text or empty. Sign in again or check \`auth\`.`,
    );
  };
  if (typeof secret === "string") return checked(secret);
  const failed = (cause: unknown): never => {
    throw new ToolError(
      "auth_required",
      `The credential "${credential}" could not be obtained: the host's function for it failed. Sign in again or check \`auth\`.`,
      { cause },
    );
  };
  let value: Awaitable<string>;
  try {
    value = secret();
  } catch (error) {
    return failed(error);
  }
  return isThenable(value) ? Promise.resolve(value).then(checked, failed) : checked(value);
}
