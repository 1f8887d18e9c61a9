import type { SecurityUse } from "../document/operation.ts";
import { isBasic, isCertificate, isRegistration } from "./check-auth.ts";
import {
  bearerForm,
  credentialForm,
  toMaterial,
  getPlace,
  type CredentialForm,
  type Material,
} from "./credential-form.ts";
import { fixedCredential, type ConfiguredCredential } from "./resolve-credential.ts";
import type { OpenApiAuth, SchemeCredential } from "./openapi-auth.ts";
import { tokenClient, type DocumentTrust, type TokenClient } from "./token-client.ts";

/** The use of a security scheme by an operation, and what there is for it. */
export interface SchemeUse {
  /** Its name in the document. */
  readonly scheme: string;
  readonly scopes: readonly string[];
  readonly form: CredentialForm;
  /** What the host itself gives. */
  readonly given?: ConfiguredCredential;
  /** `given` as it is sent, when it is the same for every request. */
  readonly fixed?: Material;
  readonly client?: TokenClient;
  /** Why a registration is of no use; the end of a sentence. */
  readonly clientProblem?: string;
}

/** What an operation's requests are sent with. */
export interface CredentialPlan {
  /** The alternatives (OR) of combinations (AND) that a request can satisfy at all, in the document's order. */
  readonly alternatives: readonly (readonly SchemeUse[])[];
  /** One of the alternatives is to send nothing. */
  readonly optional: boolean;
  /** What goes beside parts of them when none is complete, as far as it is there. */
  readonly others: readonly SchemeUse[];
  /** What is sent with every request, when that is known already: it depends neither on the caller nor on tokens. */
  readonly fixed?: readonly SchemeUse[];
  /** `fixed` as it is sent, when that is known, too: every request gets the same. */
  readonly materials?: readonly Material[];
  /** What the operation asks for, by name, for the person who has to supply it. */
  readonly wanted: readonly string[];
  /** Why no request can be authorised; the end of a sentence. */
  readonly unsupported?: string;
}

/** Says for a host that has given nothing where documents may lead: nowhere. */
const noTrust: DocumentTrust = { base: undefined, trusts: () => false };

/** Compiles the credentials of an operation (OpenAPI 3.2 section 4.30, "Security Requirement Object"). */
export function credentialPlan(
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
  others.push(...generalUses(auth));
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
    wanted: [...new Set(security.flat().map(({ scheme }) => scheme))],
    ...(fixed === undefined ? {} : { fixed, ...sameForAll(fixed) }),
    ...(unsupported === undefined ? {} : { unsupported }),
  };
}

/** What a document is fetched with before it says what it wants: everything but API keys, whose place it names. */
export function generalUses({ bearer, basic }: OpenApiAuth): readonly SchemeUse[] {
  if (bearer !== undefined) return [configuredUse("bearer", [], bearerForm, bearer)];
  return basic === undefined ? [] : [configuredUse("basic", [], { type: "basic" }, basic)];
}

/** The uses of one combination, as far as they go together; and why no request can satisfy all of it. */
function findUses(
  combination: readonly SecurityUse[],
  auth: OpenApiAuth,
  trust: DocumentTrust,
): { readonly uses: readonly SchemeUse[]; readonly problem?: string } {
  const uses: SchemeUse[] = [];
  const places = new Map<string, string>();
  let problem: string | undefined;
  for (const declared of combination) {
    const { scheme, declaration } = declared;
    const form =
      declaration === undefined
        ? "which the document does not declare"
        : credentialForm(declaration);
    if (typeof form === "string" || declaration === undefined) {
      problem ??= `it uses the security scheme "${scheme}", ${form as string}`;
      continue;
    }
    if (form.type === "certificate" && trust.base?.startsWith("http:") === true) {
      problem ??= `it asks for a client certificate, "${scheme}", and ${new URL(trust.base).origin} is not https, where there is none`;
      continue;
    }
    const place = getPlace(form);
    const other = places.get(place);
    if (other !== undefined) {
      problem ??= `it asks for "${other}" and "${scheme}" at once, and both are the ${place} of a request`;
      continue;
    }
    places.set(place, scheme);
    uses.push(findUse(declared, declaration, form, auth, trust));
  }
  return problem === undefined ? { uses } : { uses, problem };
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
      ? tokenClient(scheme, declaration, own, trust)
      : `"${scheme}" takes no tokens, and a registration gets nothing else`;
    return {
      scheme,
      scopes,
      form,
      ...(typeof client === "string" ? { clientProblem: client } : { client }),
    };
  }
  const given = own ?? generalFor(declaration.type, form, auth);
  return given !== undefined && fits(form, given)
    ? configuredUse(scheme, scopes, form, given)
    : { scheme, scopes, form };
}

/** What a host gives for all schemes of a kind. */
function generalFor(
  type: NonNullable<SecurityUse["declaration"]>["type"],
  form: CredentialForm,
  { bearer, basic, apiKey }: OpenApiAuth,
): ConfiguredCredential | undefined {
  if (type === "apiKey") return apiKey;
  if (form.type === "basic" || form.type === "digest") return basic;
  // Another scheme of HTTP takes no token that is meant for bearers.
  return isBearer(form) ? bearer : undefined;
}

function isBearer(form: CredentialForm): boolean {
  return form.type === "text" && form.prefix === bearerForm.prefix;
}

function fits({ type }: CredentialForm, given: SchemeCredential): given is ConfiguredCredential {
  if (typeof given === "function") return true;
  if (type === "text") return typeof given === "string";
  return type === "certificate" ? isCertificate(given) : isBasic(given);
}

function configuredUse(
  scheme: string,
  scopes: readonly string[],
  form: CredentialForm,
  given: ConfiguredCredential,
): SchemeUse {
  const credential = fixedCredential(given);
  const use = { scheme, scopes, form, given };
  if (credential === undefined) return use;
  try {
    return { ...use, fixed: toMaterial(scheme, form, credential) };
  } catch {
    // Whoever calls the operation hears of it.
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
  const complete = alternatives.find((uses) => uses.every(({ given }) => given !== undefined));
  if (complete !== undefined) return complete;
  // Credentials are optional here, and there are not enough of them.
  if (optional) return [];
  return onePerPlace([...alternatives.flat(), ...others].filter((use) => use.given !== undefined));
}

function sameForAll(fixed: readonly SchemeUse[]): Pick<CredentialPlan, "materials"> {
  const materials = fixed.flatMap((use) => use.fixed ?? []);
  // A digest is another one for each request.
  const isSame =
    materials.length === fixed.length && materials.every(({ type }) => type !== "digest");
  return isSame ? { materials } : {};
}

/** What can go together: the first for each place. */
export function onePerPlace(uses: readonly SchemeUse[]): readonly SchemeUse[] {
  const places = new Map<string, SchemeUse>();
  for (const use of uses) {
    const place = getPlace(use.form);
    if (!places.has(place)) places.set(place, use);
  }
  return [...places.values()];
}
