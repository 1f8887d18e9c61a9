import type { SecurityScheme, SecurityUse } from "../document/operation.ts";
import { isBasic, isCertificate, isRegistration } from "./check-auth.ts";
import {
  bearerForm,
  getCredentialForm,
  toMaterial,
  getPlace,
  toFixedCredential,
  type CredentialForm,
  type CredentialMaterial,
  type ConfiguredCredential,
} from "./credential-form.ts";
import type { OpenApiAuth, SchemeCredential } from "./openapi-auth.ts";
import { createTokenClient, type DocumentTrust, type TokenClient } from "./token-client.ts";

/** The use of a security scheme by an operation, and the credential for it. */
export interface SchemeUse {
  /** Its name in the document. */
  readonly scheme: string;
  readonly scopes: readonly string[];
  readonly form: CredentialForm;
  /** The credential that the host configures. */
  readonly configured?: ConfiguredCredential;
  /** `configured` as it is sent, if it is the same for every request. */
  readonly fixed?: CredentialMaterial;
  readonly client?: TokenClient;
  /** The reason for which a registration cannot be used; the end of a sentence. */
  readonly clientProblem?: string;
}

/** The credentials with which an operation's requests are sent. */
export interface CredentialPlan {
  /** The alternatives (OR) of combinations (AND) that a request can satisfy, in the document's order. */
  readonly alternatives: readonly (readonly SchemeUse[])[];
  /** One of the alternatives is to send nothing. */
  readonly optional: boolean;
  /** Credentials that are sent, if available, beside parts of the alternatives when none of these is complete. */
  readonly others: readonly SchemeUse[];
  /**
   * The credentials of every request, if they are known in advance: they depend neither on the caller nor on tokens.
   */
  readonly fixed?: readonly SchemeUse[];
  /** `fixed` as it is sent, if that is known in advance too: every request gets the same. */
  readonly materials?: readonly CredentialMaterial[];
  /**
   * The schemes that the operation asks for, for the person who has to supply credentials: `shopKey, an API key in the
   * header X-Key`.
   */
  readonly wanted: readonly string[];
  /** The kinds of credentials that the host has configured: `a bearer token`. */
  readonly configured: readonly string[];
  /** The reason for which no request can be authorized; the end of a sentence. */
  readonly unsupported?: string;
}

/** The trust of a host that has configured nothing: documents may lead nowhere. */
const noTrust: DocumentTrust = { base: undefined, trusts: () => false };

/** Compiles the credentials of an operation (OpenAPI 3.2 section 4.30, "Security Requirement Object"). */
export function planCredentials(
  security: readonly (readonly SecurityUse[])[],
  auth: OpenApiAuth,
  trust: DocumentTrust = noTrust,
): CredentialPlan {
  const alternatives: (readonly SchemeUse[])[] = [];
  const others: SchemeUse[] = [];
  const problems: string[] = [];
  for (const combination of security) {
    if (combination.length === 0) continue;
    const { uses, problem } = findUses(combination, auth, trust);
    if (problem === undefined) alternatives.push(uses);
    else {
      problems.push(problem);
      others.push(...uses);
    }
  }
  const optional = security.some((combination) => combination.length === 0);
  others.push(...getGeneralUses(auth));
  const fixed = dependsOnCalls([...alternatives.flat(), ...others], auth)
    ? undefined
    : fixedUses(alternatives, optional, others);
  const unusable = alternatives.map(
    (uses) => uses.find(({ clientProblem }) => clientProblem !== undefined)?.clientProblem,
  );
  const [unsupported] = unusable.includes(undefined) ? [] : [...unusable, ...problems];
  return {
    alternatives,
    optional,
    others,
    wanted: [...new Set(security.flat().map(describeScheme))],
    configured: describeConfigured(auth),
    ...(fixed === undefined ? {} : { fixed, ...toSharedMaterials(fixed) }),
    ...(unsupported === undefined ? {} : { unsupported }),
  };
}

function describeScheme({ scheme, declaration }: SecurityUse): string {
  const kind = declaration === undefined ? undefined : describeKind(declaration);
  return kind === undefined ? scheme : `${scheme}, ${kind}`;
}

function describeKind({ type, name, in: place = "header", scheme }: SecurityScheme): string {
  switch (type) {
    case "apiKey":
      return `an API key in the ${place}${name === undefined ? "" : ` ${name}`}`;
    case "http":
      return scheme === "bearer"
        ? "a bearer token"
        : scheme === "basic" || scheme === "digest"
          ? "a user name and a password"
          : "a text for the header Authorization";
    case "oauth2":
      return "OAuth 2";
    case "openIdConnect":
      return "OpenID Connect";
    case "mutualTLS":
      return "a client certificate";
  }
}

function describeConfigured({ bearer, basic, apiKey, schemes = {} }: OpenApiAuth): string[] {
  return [
    ...(bearer === undefined ? [] : ["a bearer token"]),
    ...(basic === undefined ? [] : ["a user name and a password"]),
    ...(apiKey === undefined ? [] : ["an API key"]),
    ...Object.keys(schemes).map((name) => `a credential for ${name}`),
  ];
}

/**
 * Returns the credentials with which a document is fetched before its contents are known: all except API keys, whose
 * location only the document defines.
 */
export function getGeneralUses({ bearer, basic }: OpenApiAuth): readonly SchemeUse[] {
  if (bearer !== undefined) return [toConfiguredUse("bearer", [], bearerForm, bearer)];
  return basic === undefined ? [] : [toConfiguredUse("basic", [], { type: "basic" }, basic)];
}

/** Finds the uses of one combination that are compatible, and the reason for which no request can satisfy all of it. */
function findUses(
  combination: readonly SecurityUse[],
  auth: OpenApiAuth,
  trust: DocumentTrust,
): { readonly uses: readonly SchemeUse[]; readonly problem?: string } {
  const uses: SchemeUse[] = [];
  const places = new Map<string, number>();
  let problem: string | undefined;
  for (const declared of combination) {
    const { scheme, declaration } = declared;
    const form =
      declaration === undefined
        ? "which the document does not declare"
        : getCredentialForm(declaration);
    if (typeof form === "string" || declaration === undefined) {
      problem ??= `it uses the security scheme "${scheme}", ${form as string}`;
      continue;
    }
    if (form.type === "certificate" && trust.base?.startsWith("http:") === true) {
      problem ??= `it asks for a client certificate, "${scheme}", which requires https, and ${new URL(trust.base).origin} is not https`;
      continue;
    }
    const place = getPlace(form);
    const use = findUse(declared, declaration, form, auth, trust);
    const index = places.get(place);
    const other = index === undefined ? undefined : uses[index];
    if (index === undefined || other === undefined) {
      places.set(place, uses.length);
      uses.push(use);
    } else if (!areEqual(use, other)) {
      problem ??= `it asks for "${other.scheme}" and "${scheme}" at once, and both are the ${place} of a request`;
    } else if (!isAvailable(other)) {
      uses[index] = use;
    }
  }
  return problem === undefined ? { uses } : { uses, problem };
}

/** Returns true if one credential satisfies both: they have one form, and the host has no different values for them. */
function areEqual(use: SchemeUse, other: SchemeUse): boolean {
  if (JSON.stringify(use.form) !== JSON.stringify(other.form)) return false;
  if (!isAvailable(use) || !isAvailable(other)) return true;
  if (use.client !== undefined || other.client !== undefined) return false;
  if (use.configured === other.configured) return true;
  const isFixed = [use, other].every(({ configured }) => typeof configured !== "function");
  return isFixed && JSON.stringify(use.configured) === JSON.stringify(other.configured);
}

function isAvailable({ configured, client }: SchemeUse): boolean {
  return configured !== undefined || client !== undefined;
}

function findUse(
  { scheme, scopes }: SecurityUse,
  declaration: NonNullable<SecurityUse["declaration"]>,
  form: CredentialForm,
  auth: OpenApiAuth,
  trust: DocumentTrust,
): SchemeUse {
  const { schemes } = auth;
  const own = schemes !== undefined && Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined;
  if (own !== undefined && isRegistration(own)) {
    const client = isBearer(form)
      ? createTokenClient(scheme, declaration, own, trust)
      : `"${scheme}" takes no tokens, and a registration can only obtain tokens`;
    return {
      scheme,
      scopes,
      form,
      ...(typeof client === "string" ? { clientProblem: client } : { client }),
    };
  }
  const given = own ?? getGeneralCredential(declaration.type, form, auth);
  return given !== undefined && matchesForm(form, given)
    ? toConfiguredUse(scheme, scopes, form, given)
    : { scheme, scopes, form };
}

/** Returns the credential that a host configures for all schemes of a kind. */
function getGeneralCredential(
  type: NonNullable<SecurityUse["declaration"]>["type"],
  form: CredentialForm,
  { bearer, basic, apiKey }: OpenApiAuth,
): ConfiguredCredential | undefined {
  if (type === "apiKey") return apiKey;
  if (form.type === "basic" || form.type === "digest") return basic;
  // Another HTTP scheme does not get the bearer token.
  return isBearer(form) ? bearer : undefined;
}

function isBearer(form: CredentialForm): boolean {
  return form.type === "text" && form.prefix === bearerForm.prefix;
}

function matchesForm(
  { type }: CredentialForm,
  given: SchemeCredential,
): given is ConfiguredCredential {
  if (typeof given === "function") return true;
  if (type === "text") return typeof given === "string";
  return type === "certificate" ? isCertificate(given) : isBasic(given);
}

function toConfiguredUse(
  scheme: string,
  scopes: readonly string[],
  form: CredentialForm,
  given: ConfiguredCredential,
): SchemeUse {
  const credential = toFixedCredential(given);
  const use = { scheme, scopes, form, configured: given };
  if (credential === undefined) return use;
  try {
    return { ...use, fixed: toMaterial(scheme, form, credential) };
  } catch {
    // A call of the operation reports the error.
    return use;
  }
}

function dependsOnCalls(uses: readonly SchemeUse[], { store }: OpenApiAuth): boolean {
  return uses.some(
    ({ client, clientProblem }) =>
      store !== undefined || client !== undefined || clientProblem !== undefined,
  );
}

function fixedUses(
  alternatives: readonly (readonly SchemeUse[])[],
  optional: boolean,
  others: readonly SchemeUse[],
): readonly SchemeUse[] {
  const complete = alternatives.find((uses) =>
    uses.every(({ configured }) => configured !== undefined),
  );
  if (complete !== undefined) return complete;
  // Credentials are optional here, and not all of them are available.
  if (optional) return [];
  return onePerPlace(
    [...alternatives.flat(), ...others].filter((use) => use.configured !== undefined),
  );
}

function toSharedMaterials(fixed: readonly SchemeUse[]): Pick<CredentialPlan, "materials"> {
  const materials = fixed.flatMap((use) => use.fixed ?? []);
  // A digest differs for each request.
  const isSame =
    materials.length === fixed.length && materials.every(({ type }) => type !== "digest");
  return isSame ? { materials } : {};
}

/** Returns the uses that can be combined: the first for each part of a request. */
export function onePerPlace(uses: readonly SchemeUse[]): readonly SchemeUse[] {
  const places = new Map<string, SchemeUse>();
  for (const use of uses) {
    const place = getPlace(use.form);
    if (!places.has(place)) places.set(place, use);
  }
  return [...places.values()];
}
