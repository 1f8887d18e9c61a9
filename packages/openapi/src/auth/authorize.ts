import {
  isThenable,
  ToolError,
  type Awaitable,
  type Credential,
  type Suspension,
  type ToolContext,
} from "@toolweave/core";
import type { HttpClientOptions, HttpHeaders } from "@toolweave/http";
import type { PlannedRequest } from "../request/request-plan.ts";
import { CallerCredentials, type CallOwner, type FoundCredential } from "./caller-credentials.ts";
import { toMaterial, type Material } from "./credential-form.ts";
import { DigestChallenges } from "./digest-challenges.ts";
import { resolveCredential, type ConfiguredCredential } from "./resolve-credential.ts";
import { OAuthClients } from "./oauth-clients.ts";
import type { OpenApiAuth } from "./openapi-auth.ts";
import { prepareRequest, type PreparedRequest } from "./prepare-request.ts";
import { onePerPlace, type CredentialPlan, type SchemeUse } from "./security.ts";
import { SignIns } from "./sign-ins.ts";
import type { SourceSecrets } from "./source-secrets.ts";

/** What authorising needs to know of an operation, beside the request. */
export interface AuthorizedCall {
  readonly credentials: CredentialPlan;
  /** Headers of the host's own, lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Why the credentials stay at home; the end of a sentence. Absent: they may go. */
  readonly withheld?: string;
}

/** A request that may be sent. */
export interface AuthorizedRequest extends PreparedRequest {
  /**
   * What to do when the API answers 401: the request to send instead, once; a suspension; or nothing.
   * Absent: nothing either.
   */
  refused?(headers: HttpHeaders): Promise<AuthorizedRequest | Suspension | undefined>;
}

/** What authorising needs to know of a source. */
export interface AuthorizerOptions {
  /** Its `id`. */
  readonly source: string;
  readonly auth: OpenApiAuth;
  readonly secrets: SourceSecrets;
  /** For requests to authorization servers. */
  readonly http: HttpClientOptions;
}

/** What goes into a request for one use of a scheme. */
interface Part {
  readonly use: SchemeUse;
  readonly material: Material;
  /** It is the caller's, or a token. */
  readonly found?: FoundCredential;
}

/** What was found for one use of a scheme: a credential of the caller's, the host's own, or why neither. */
type Lookup = FoundCredential | { readonly given: ConfiguredCredential } | string | undefined;

const nothing: Readonly<Record<string, string>> = {};

/** Adds to requests what they are authorised with. One for each source. */
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
   * The request with its credentials, or what a person has to do first (OpenAPI 3.2 section 4.30): the first
   * alternative for which everything is there, else the first that a person can sign in for, else what there is. Where
   * credentials are optional nothing is sent when there is nothing, and a person is asked once the API refuses that.
   *
   * @throws ToolError `auth_required` when a credential cannot be had, `approval_rejected` when a person would not
   * sign in, `store_unavailable`; what the authorization server's client throws.
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
      ? this.#choose(call, request, ctx)
      : this.#withGiven(call, request, ctx, fixed);
  }

  /** What calls were authorised with lately and is not registered: taken out of whatever comes back to any of them. */
  get passingSecrets(): readonly string[] {
    return this.#challenges.answers;
  }

  /** Cancels what is under way. */
  close(): Promise<void> {
    return this.#clients.close();
  }

  async #withGiven(
    call: AuthorizedCall,
    request: PlannedRequest,
    ctx: ToolContext,
    uses: readonly SchemeUse[],
  ): Promise<AuthorizedRequest | Suspension> {
    const parts: Part[] = [];
    for (const use of uses) {
      const part = await this.#given(use, ctx);
      if (part === undefined) return this.#choose(call, request, ctx, new Map([[use, part]]));
      parts.push(part);
    }
    return this.#prepared(call, request, ctx, parts);
  }

  /** `undefined`: the host's function has none for this request. */
  async #given(use: SchemeUse, ctx: ToolContext): Promise<Part | undefined> {
    if (use.fixed !== undefined) return { use, material: use.fixed };
    const { caller } = ctx;
    const pending = resolveCredential(use.given as ConfiguredCredential, {
      source: this.#options.source,
      scheme: use.scheme,
      scopes: use.scopes,
      ...(caller === undefined ? {} : { caller }),
      get signal() {
        return ctx.signal;
      },
    });
    const credential = isThenable(pending) ? await pending : pending;
    return credential && { use, material: this.#material(use, credential) };
  }

  #material({ scheme, form }: SchemeUse, credential: Credential): Material {
    const material = toMaterial(scheme, form, credential);
    for (const secret of material.secrets) this.#options.secrets.renewed(secret);
    return material;
  }

  async #choose(
    call: AuthorizedCall,
    request: PlannedRequest,
    ctx: ToolContext,
    lookups = new Map<SchemeUse, Lookup>(),
  ): Promise<AuthorizedRequest | Suspension> {
    const { alternatives, optional, others } = call.credentials;
    const owner = getOwner(ctx);
    const waiting = await this.#signIns.goOn(call.credentials, ctx, owner);
    if (waiting !== undefined) return waiting;

    for (const uses of alternatives) {
      if (!(await this.#isComplete(uses, owner, lookups))) continue;
      const parts = await this.#parts(uses, lookups, ctx);
      if (parts.length === uses.length) return this.#prepared(call, request, ctx, parts);
    }
    if (optional) {
      const prepared = this.#prepared(call, request, ctx, []);
      // Whoever has just signed in is not asked at once again.
      if (ctx.resumed !== undefined) return prepared;
      return { ...prepared, refused: () => this.#signIn(alternatives, ctx, owner, lookups) };
    }
    const signIn = await this.#signIn(alternatives, ctx, owner, lookups);
    if (signIn !== undefined) return signIn;
    const problem = describeProblem(alternatives.flat(), lookups);
    if (problem !== undefined) throw new ToolError("auth_required", problem);
    const all = [...alternatives.flat(), ...others];
    const there = all.filter((use) =>
      lookups.has(use) ? isThere(lookups.get(use)) : use.given !== undefined,
    );
    const parts = await this.#parts(onePerPlace(there), lookups, ctx);
    return this.#prepared(call, request, ctx, parts);
  }

  /** Asks for the first alternative of which a person can get all that is missing. */
  async #signIn(
    alternatives: CredentialPlan["alternatives"],
    ctx: ToolContext,
    owner: CallOwner,
    lookups: Map<SchemeUse, Lookup>,
  ): Promise<Suspension | undefined> {
    for (const uses of alternatives) {
      const missing: SchemeUse[] = [];
      for (const use of uses) {
        if (!isThere(await this.#look(use, owner, lookups))) missing.push(use);
      }
      if (missing.every(({ client }) => client?.interactive === true)) {
        return this.#signIns.ask(missing, ctx, owner);
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
      if (!isThere(await this.#look(use, owner, lookups))) return false;
    }
    return true;
  }

  /** Looks once for each use; a function of the host's counts as there, and is asked when it is taken. */
  async #look(use: SchemeUse, owner: CallOwner, lookups: Map<SchemeUse, Lookup>): Promise<Lookup> {
    if (lookups.has(use)) return lookups.get(use);
    const { given, client } = use;
    const isKept = this.#options.auth.store !== undefined || client !== undefined;
    const found = isKept ? await this.#credentials.find(use, owner) : undefined;
    const there = typeof found === "object" || given === undefined ? found : { given };
    lookups.set(use, there);
    return there;
  }

  /** Without those that a function of the host's turns out to have none for; they are not there any more. */
  async #parts(
    uses: readonly SchemeUse[],
    lookups: Map<SchemeUse, Lookup>,
    ctx: ToolContext,
  ): Promise<readonly Part[]> {
    const parts: Part[] = [];
    for (const use of uses) {
      const there = lookups.get(use);
      const part =
        typeof there === "object" && "credential" in there
          ? { use, material: this.#material(use, there.credential), found: there }
          : await this.#given(use, ctx);
      if (part === undefined) lookups.set(use, undefined);
      else parts.push(part);
    }
    return parts;
  }

  #prepared(
    { headers: hostHeaders }: AuthorizedCall,
    request: PlannedRequest,
    ctx: ToolContext,
    parts: readonly Part[],
  ): AuthorizedRequest {
    const materials = parts.map(({ material }) => material);
    if (!parts.some(canBeReplaced) || !isResendable(request)) {
      return prepareRequest(request, request.headers, materials, hostHeaders, this.#challenges);
    }
    const again = (others: readonly Part[]): PreparedRequest => {
      const headers = { ...request.headers };
      const all = others.map(({ material }) => material);
      return prepareRequest(request, headers, all, hostHeaders, this.#challenges);
    };
    return {
      ...again(parts),
      refused: (answered) => this.#refused(request, ctx, parts, answered, again),
    };
  }

  /** The API has not done what it refused: with other credentials the request may be sent once more. */
  async #refused(
    request: PlannedRequest,
    ctx: ToolContext,
    parts: readonly Part[],
    answered: HttpHeaders,
    again: (parts: readonly Part[]) => PreparedRequest,
  ): Promise<PreparedRequest | Suspension | undefined> {
    const challenges = answered["www-authenticate"];
    for (const { material } of parts) {
      if (material.type !== "digest" || challenges === undefined) continue;
      this.#challenges.learn(material, request, challenges);
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
        renewed.push({ use, material: this.#material(use, other.credential), found: other });
        continue;
      }
      renewed.push(part);
      if (found?.credential.type === "token" && use.client?.interactive === true) lost.push(part);
    }
    if (renewed.some((part, index) => part !== parts[index])) return again(renewed);
    // Whoever has just signed in is not asked at once again: the API refuses what it gets.
    if (lost.length === 0 || ctx.resumed !== undefined) return undefined;
    for (const { found } of lost) await this.#credentials.forget(found as FoundCredential);
    return this.#signIns.ask(
      lost.map(({ use }) => use),
      ctx,
      owner,
    );
  }
}

function getOwner({ caller, signal }: ToolContext): CallOwner {
  return { caller: caller?.id, signal };
}

function isThere(lookup: Lookup): boolean {
  return typeof lookup === "object";
}

/** Why nothing is sent: a registration that is of no use, or a credential that is there and is not enough. */
function describeProblem(
  uses: readonly SchemeUse[],
  lookups: ReadonlyMap<SchemeUse, Lookup>,
): string | undefined {
  for (const use of uses) {
    const there = lookups.get(use);
    if (typeof there === "string") return `${there} Sign in again, or check \`auth\`.`;
    if (use.clientProblem !== undefined && !isThere(there)) {
      return `The credential "${use.scheme}" cannot be obtained: ${use.clientProblem}.`;
    }
  }
  return undefined;
}

function canBeReplaced({ material, found, use }: Part): boolean {
  return material.type === "digest" || (found !== undefined && use.client !== undefined);
}

function isResendable({ body }: PlannedRequest): boolean {
  return body === undefined || typeof body === "string" || body instanceof Uint8Array;
}
