import { ToolError, type Awaitable, type Suspension, type ToolContext } from "@toolweave/core";
import { isThenable } from "@toolweave/core/adapter";
import type { Credential } from "@toolweave/core/stores";
import type { HttpClientOptions, HttpHeaders } from "@toolweave/http";
import type { PlannedRequest } from "../request/request-plan.ts";
import { CallerCredentials, type CallOwner, type FoundCredential } from "./caller-credentials.ts";
import {
  toMaterial,
  resolveCredential,
  type CredentialMaterial,
  type ConfiguredCredential,
} from "./credential-form.ts";
import { DigestChallenges, prepareRequest, type PreparedRequest } from "./prepare-request.ts";
import { OAuthClients } from "./oauth-clients.ts";
import type { OpenApiAuth } from "./openapi-auth.ts";
import { onePerPlace, type CredentialPlan, type SchemeUse } from "./security.ts";
import { SignIns } from "./sign-ins.ts";
import type { SourceSecrets } from "./source-secrets.ts";

/** The properties of an operation that authorization needs, beside the request. */
export interface AuthorizedCall {
  readonly credentials: CredentialPlan;
  /** The host's own headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The reason for which credentials are not sent; the end of a sentence. Absent: they may be sent. */
  readonly withheld?: string;
}

/** A request that may be sent. */
export interface AuthorizedRequest extends PreparedRequest {
  /** Handles a 401 of the API: returns the request to send instead, once; a suspension; or nothing. Absent: nothing. */
  handleUnauthorized?(headers: HttpHeaders): Promise<AuthorizedRequest | Suspension | undefined>;
}

/** The properties of a source that authorization needs. */
export interface AuthorizerOptions {
  /** The source's `id`. */
  readonly source: string;
  readonly auth: OpenApiAuth;
  readonly secrets: SourceSecrets;
  /** Options for requests to authorization servers. */
  readonly http: HttpClientOptions;
}

/** The material that one use of a scheme adds to a request. */
interface Part {
  readonly use: SchemeUse;
  readonly material: CredentialMaterial;
  /** Set for a caller's credential or a token. */
  readonly found?: FoundCredential;
}

/**
 * The result for one use of a scheme: a credential of the caller, the host's own, or the reason for which there is
 * neither.
 */
type Lookup = FoundCredential | { readonly configured: ConfiguredCredential } | string | undefined;

const nothing: Readonly<Record<string, string>> = {};

/** Adds credentials to requests. One for each source. */
export class Authorizer {
  readonly #options: AuthorizerOptions;
  readonly #clients: OAuthClients;
  readonly #credentials: CallerCredentials;
  readonly #signIns: SignIns;
  readonly #challenges = new DigestChallenges();

  constructor(options: AuthorizerOptions) {
    const { source, auth, secrets, http } = options;
    this.#options = options;
    this.#clients = new OAuthClients(http, auth);
    this.#credentials = new CallerCredentials(source, auth.store, this.#clients, secrets);
    this.#signIns = new SignIns(this.#credentials, this.#clients, secrets);
  }

  /**
   * Returns the request with its credentials, or the sign-in that a person has to complete first (OpenAPI 3.2 section
   * 4.30): the first alternative whose credentials are all available, else the first that a person can sign in for,
   * else the available credentials. If credentials are optional and none is available, the request is sent without; a
   * person is asked to sign in only after the API has refused it.
   *
   * @throws ToolError `auth_required` if a credential is not available, `approval_rejected` if a person refuses to sign
   * in, `store_unavailable`, and the errors of the authorization server's client.
   */
  authorize(
    call: AuthorizedCall,
    request: PlannedRequest,
    ctx: ToolContext,
  ): Awaitable<AuthorizedRequest | Suspension> {
    if (call.withheld !== undefined) {
      return prepareRequest(request, request.headers, [], nothing, this.#challenges);
    }
    const { materials, fixed } = call.credentials;
    if (materials !== undefined) {
      return prepareRequest(request, request.headers, materials, call.headers, this.#challenges);
    }
    return fixed === undefined
      ? this.#chooseAlternative(call, request, ctx)
      : this.#authorizeWithFixed(call, request, ctx, fixed);
  }

  /**
   * Short-lived secrets of recent calls, which are not registered with the source: they are redacted in every response.
   */
  get recentSecrets(): readonly string[] {
    return this.#challenges.answers;
  }

  /** Cancels all requests in progress. */
  close(): Promise<void> {
    return this.#clients.close();
  }

  async #authorizeWithFixed(
    call: AuthorizedCall,
    request: PlannedRequest,
    ctx: ToolContext,
    uses: readonly SchemeUse[],
  ): Promise<AuthorizedRequest | Suspension> {
    const parts: Part[] = [];
    for (const use of uses) {
      const part = await this.#configuredPart(use, ctx);
      if (part === undefined)
        return this.#chooseAlternative(call, request, ctx, new Map([[use, part]]));
      parts.push(part);
    }
    return this.#prepare(call, request, ctx, parts);
  }

  /** Returns `undefined` if the host's function has no credential for this request. */
  async #configuredPart(use: SchemeUse, ctx: ToolContext): Promise<Part | undefined> {
    if (use.fixed !== undefined) return { use, material: use.fixed };
    const { caller } = ctx;
    const pending = resolveCredential(use.configured as ConfiguredCredential, {
      source: this.#options.source,
      scheme: use.scheme,
      scopes: use.scopes,
      ...(caller === undefined ? {} : { caller }),
      get signal() {
        return ctx.signal;
      },
    });
    const credential = isThenable(pending) ? await pending : pending;
    return credential && { use, material: this.#toMaterial(use, credential) };
  }

  #toMaterial({ scheme, form }: SchemeUse, credential: Credential): CredentialMaterial {
    const material = toMaterial(scheme, form, credential);
    for (const secret of material.secrets) this.#options.secrets.register(secret);
    return material;
  }

  async #chooseAlternative(
    call: AuthorizedCall,
    request: PlannedRequest,
    ctx: ToolContext,
    lookups = new Map<SchemeUse, Lookup>(),
  ): Promise<AuthorizedRequest | Suspension> {
    const { alternatives, optional, others } = call.credentials;
    const owner = getOwner(ctx);
    const waiting = await this.#signIns.resume(call.credentials, ctx, owner);
    if (waiting !== undefined) return waiting;

    for (const uses of alternatives) {
      if (!(await this.#isComplete(uses, owner, lookups))) continue;
      const parts = await this.#toParts(uses, lookups, ctx);
      if (parts.length === uses.length) return this.#prepare(call, request, ctx, parts);
    }
    if (optional) {
      const prepared = this.#prepare(call, request, ctx, []);
      // A person who has just signed in is not asked again at once.
      if (ctx.resumed !== undefined) return prepared;
      return {
        ...prepared,
        handleUnauthorized: () => this.#signIn(alternatives, ctx, owner, lookups),
      };
    }
    const signIn = await this.#signIn(alternatives, ctx, owner, lookups);
    if (signIn !== undefined) return signIn;
    const problem = describeProblem(alternatives.flat(), lookups);
    if (problem !== undefined) throw new ToolError("auth_required", problem);
    const all = [...alternatives.flat(), ...others];
    const found = all.filter((use) =>
      lookups.has(use) ? isFound(lookups.get(use)) : use.configured !== undefined,
    );
    const parts = await this.#toParts(onePerPlace(found), lookups, ctx);
    return this.#prepare(call, request, ctx, parts);
  }

  /** Asks for the first alternative whose missing credentials a person can all provide. */
  async #signIn(
    alternatives: CredentialPlan["alternatives"],
    ctx: ToolContext,
    owner: CallOwner,
    lookups: Map<SchemeUse, Lookup>,
  ): Promise<Suspension | undefined> {
    for (const uses of alternatives) {
      const missing: SchemeUse[] = [];
      for (const use of uses) {
        if (!isFound(await this.#find(use, owner, lookups))) missing.push(use);
      }
      if (missing.every(({ client }) => client?.interactive === true)) {
        return this.#signIns.suspendForSignIn(missing, ctx, owner);
      }
    }
    return undefined;
  }

  async #isComplete(
    uses: readonly SchemeUse[],
    owner: CallOwner,
    lookups: Map<SchemeUse, Lookup>,
  ): Promise<boolean> {
    for (const use of uses) {
      if (!isFound(await this.#find(use, owner, lookups))) return false;
    }
    return true;
  }

  /**
   * Finds the credential for a use, once per call. A function of the host counts as available; it is called when its
   * credential is used.
   */
  async #find(use: SchemeUse, owner: CallOwner, lookups: Map<SchemeUse, Lookup>): Promise<Lookup> {
    if (lookups.has(use)) return lookups.get(use);
    const { configured, client } = use;
    const mayBeStored = this.#options.auth.store !== undefined || client !== undefined;
    const stored = mayBeStored ? await this.#credentials.find(use, owner) : undefined;
    const lookup = typeof stored === "object" || configured === undefined ? stored : { configured };
    lookups.set(use, lookup);
    return lookup;
  }

  /**
   * Returns the parts, without those for which the host's function returns nothing; these no longer count as available.
   */
  async #toParts(
    uses: readonly SchemeUse[],
    lookups: Map<SchemeUse, Lookup>,
    ctx: ToolContext,
  ): Promise<readonly Part[]> {
    const parts: Part[] = [];
    for (const use of uses) {
      const found = lookups.get(use);
      const part =
        typeof found === "object" && "credential" in found
          ? { use, material: this.#toMaterial(use, found.credential), found }
          : await this.#configuredPart(use, ctx);
      if (part === undefined) lookups.set(use, undefined);
      else parts.push(part);
    }
    return parts;
  }

  #prepare(
    { headers: hostHeaders }: AuthorizedCall,
    request: PlannedRequest,
    ctx: ToolContext,
    parts: readonly Part[],
  ): AuthorizedRequest {
    const materials = parts.map(({ material }) => material);
    if (!parts.some(isReplaceable) || !isResendable(request)) {
      return prepareRequest(request, request.headers, materials, hostHeaders, this.#challenges);
    }
    const again = (others: readonly Part[]): PreparedRequest => {
      const headers = { ...request.headers };
      const all = others.map(({ material }) => material);
      return prepareRequest(request, headers, all, hostHeaders, this.#challenges);
    };
    return {
      ...again(parts),
      handleUnauthorized: (answered) => this.#handleRefusal(request, ctx, parts, answered, again),
    };
  }

  /** Handles a refusal. The API did not process the request, so it may be sent once more with other credentials. */
  async #handleRefusal(
    request: PlannedRequest,
    ctx: ToolContext,
    parts: readonly Part[],
    answered: HttpHeaders,
    again: (parts: readonly Part[]) => PreparedRequest,
  ): Promise<PreparedRequest | Suspension | undefined> {
    const challenges = answered["www-authenticate"];
    for (const { material } of parts) {
      if (material.type !== "digest" || challenges === undefined) continue;
      this.#challenges.store(material, request, challenges);
      const repeated = again(parts);
      return repeated.headers["authorization"] === undefined ? undefined : repeated;
    }
    const owner = getOwner(ctx);
    const lost: Part[] = [];
    const renewed: Part[] = [];
    for (const part of parts) {
      const { use, found } = part;
      const other = found && (await this.#credentials.replace(use, found, owner));
      if (other !== undefined) {
        renewed.push({ use, material: this.#toMaterial(use, other.credential), found: other });
        continue;
      }
      renewed.push(part);
      if (found?.credential.type === "token" && use.client?.interactive === true) lost.push(part);
    }
    if (renewed.some((part, index) => part !== parts[index])) return again(renewed);
    // A person who has just signed in is not asked again at once: the API refuses the new credential as well.
    if (lost.length === 0 || ctx.resumed !== undefined) return undefined;
    for (const { found } of lost) await this.#credentials.deleteRefused(found as FoundCredential);
    return this.#signIns.suspendForSignIn(
      lost.map(({ use }) => use),
      ctx,
      owner,
    );
  }
}

function getOwner({ caller, signal }: ToolContext): CallOwner {
  return { caller: caller?.id, signal };
}

function isFound(lookup: Lookup): boolean {
  return typeof lookup === "object";
}

/** Describes why nothing is sent: a registration that cannot be used, or a credential that is not sufficient. */
function describeProblem(
  uses: readonly SchemeUse[],
  lookups: ReadonlyMap<SchemeUse, Lookup>,
): string | undefined {
  for (const use of uses) {
    const found = lookups.get(use);
    if (typeof found === "string") return `${found} Sign in again, or check \`auth\`.`;
    if (use.clientProblem !== undefined && !isFound(found)) {
      return `The credential "${use.scheme}" cannot be obtained: ${use.clientProblem}.`;
    }
  }
  return undefined;
}

function isReplaceable({ material, found, use }: Part): boolean {
  return material.type === "digest" || (found !== undefined && use.client !== undefined);
}

function isResendable({ body }: PlannedRequest): boolean {
  return body === undefined || typeof body === "string" || body instanceof Uint8Array;
}
