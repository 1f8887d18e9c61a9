import {
  suspend,
  ToolError,
  type JsonValue,
  type Suspension,
  type ToolContext,
  type Answer,
  type JsonObject,
} from "@toolweave/core";
import type { CallerCredentials, CallOwner } from "./caller-credentials.ts";
import type { TokenClient } from "./token-client.ts";
import type { OAuthClients } from "./oauth-clients.ts";
import type { CredentialPlan, SchemeUse } from "./security.ts";
import type { SourceSecrets } from "./source-secrets.ts";
import { visibleText, type AuthRequest, ellipsize } from "@toolweave/core/adapter";
import type { TokenCredential } from "@toolweave/core/stores";
import type { OAuthClient } from "@toolweave/http";
import { isRecord } from "../document/record.ts";
import type { OAuthFlow } from "./openapi-auth.ts";

/**
 * The sign-ins of callers: a call is suspended until its caller has signed in, and the token is stored as the caller's.
 */
export class SignIns {
  readonly #credentials: CallerCredentials;
  readonly #clients: OAuthClients;
  readonly #secrets: SourceSecrets;

  constructor(credentials: CallerCredentials, clients: OAuthClients, secrets: SourceSecrets) {
    this.#credentials = credentials;
    this.#clients = clients;
    this.#secrets = secrets;
  }

  /** Asks a person for all missing credentials at once. */
  async suspendForSignIn(
    uses: readonly SchemeUse[],
    ctx: ToolContext,
    owner: CallOwner,
  ): Promise<Suspension> {
    const signIns: PendingSignIn[] = [];
    for (const use of uses) {
      const client = use.client as TokenClient;
      const key = this.#credentials.getKey(use, owner);
      const scopes = await this.#credentials.getScopes(use, client, key);
      const oauth = this.#clients.get(use.scheme, client, scopes);
      const id = `${ctx.callId}:auth:${signIns.length + 1}`;
      signIns.push(await beginSignIn(use, client.flow, scopes, oauth, id, ctx, this.#secrets));
    }
    return toSuspension(signIns, owner);
  }

  /**
   * Resumes the sign-ins of a resumed call.
   *
   * @returns a suspension for those that are still pending; nothing if all are complete, or there were none.
   * @throws ToolError `approval_rejected` if a person refuses to sign in, `auth_required` if a sign-in failed.
   */
  async resume(
    { alternatives }: CredentialPlan,
    { resumed, signal }: ToolContext,
    owner: CallOwner,
  ): Promise<Suspension | undefined> {
    const state = resumed && readSignInState(resumed.state);
    if (resumed === undefined || state === undefined) return undefined;
    if (state.caller !== (owner.caller ?? null)) {
      throw new ToolError("auth_required", "This sign-in was started for another caller.");
    }
    assertNotRejected(state.signIns, resumed.answers);
    const uses = alternatives.flat();
    const pending: PendingSignIn[] = [];
    for (const signIn of state.signIns) {
      const use = uses.find(
        ({ scheme, client }) => scheme === signIn.scheme && client?.flow === signIn.flow,
      );
      // The document has changed since the sign-in began.
      if (use?.client === undefined) continue;
      // Another process has completed the sign-in, or the call is retried after it.
      if (typeof (await this.#credentials.find(use, owner)) === "object") continue;
      const client = this.#clients.get(use.scheme, use.client, signIn.scopes);
      const token = await finishSignIn(signIn, resumed.answers, client, signal, this.#secrets);
      if (token === undefined) pending.push(signIn);
      else
        await this.#credentials.storeToken(
          this.#credentials.getKey(use, owner),
          token,
          signIn.scopes,
        );
    }
    return pending.length === 0 ? undefined : toSuspension(pending, owner);
  }
}

function toSuspension(signIns: readonly PendingSignIn[], { caller }: CallOwner): Suspension {
  const state: SignInState = { caller: caller ?? null, signIns };
  return suspend(
    signIns.map(({ request }) => request),
    state as unknown as JsonValue,
  );
}

/** A sign-in that a person was asked for. Plain JSON: another process may complete it. */
interface PendingSignIn {
  readonly scheme: string;
  readonly flow: OAuthFlow;
  readonly scopes: readonly string[];
  /** The request as the person sees it. */
  readonly request: AuthRequest;
  /** State of the authorization server's client. Secret. */
  readonly state: JsonObject;
}

/** The state with which a suspended call resumes. */
interface SignInState {
  /** The caller to whom the sign-ins belong. */
  readonly caller: string | null;
  readonly signIns: readonly PendingSignIn[];
}

/** Begins a sign-in. Returns the request to the person, and the state that completes it. */
async function beginSignIn(
  use: SchemeUse,
  flow: OAuthFlow,
  scopes: readonly string[],
  client: OAuthClient,
  id: string,
  { toolName, signal }: ToolContext,
  secrets: SourceSecrets,
): Promise<PendingSignIn> {
  const { scheme } = use;
  const device = flow === "deviceAuthorization" ? await client.beginDevice(signal) : undefined;
  const { url, state } = device ?? (await client.beginAuthorization(signal));
  const userCode = device?.userCode;
  registerState(state, url, secrets);
  const { origin } = new URL(url);
  const asked = scopes.length === 0 ? "" : ` It asks for: ${formatServerName(scopes.join(" "))}.`;
  const code = userCode === undefined ? "" : " Compare the code there with this one.";
  const request: AuthRequest = {
    id,
    type: "auth",
    credential: formatServerName(scheme),
    message: `${toolName} needs you to sign in at ${origin}.${asked}${code}`,
    url,
    ...(userCode === undefined ? {} : { userCode }),
  };
  return { scheme, flow, scopes, request, state };
}

/**
 * Completes a sign-in.
 *
 * @returns the token; nothing if the person has not signed in yet.
 * @throws ToolError `approval_rejected` if the person refuses, `auth_required` if the sign-in has failed.
 */
async function finishSignIn(
  { scheme, flow, request, state }: PendingSignIn,
  answers: readonly Answer[],
  client: OAuthClient,
  signal: AbortSignal,
  secrets: SourceSecrets,
): Promise<TokenCredential | undefined> {
  const answer = findAnswer(request.id, answers);
  registerState(state, request.url ?? "", secrets);
  if (flow === "deviceAuthorization") return client.finishDevice(state, signal);
  // An answer without a value means that the person signed in elsewhere; the store then has the token.
  if (answer?.type !== "input") return undefined;
  const { value } = answer;
  if (typeof value !== "string" || value.trim() === "") {
    throw new ToolError(
      "auth_required",
      `The sign-in for "${formatServerName(scheme)}" was answered with neither the redirect URL nor a code. A person has to sign in again: repeat the call.`,
    );
  }
  const text = value.trim();
  secrets.register(URL.parse(text)?.searchParams.get("code") ?? text);
  return client.finishAuthorization(text, state, signal);
}

/**
 * Rejects the call if a person rejects any of its sign-ins.
 *
 * @throws ToolError `approval_rejected`.
 */
function assertNotRejected(signIns: readonly PendingSignIn[], answers: readonly Answer[]): void {
  const rejected = answers.find((answer) => answer.type === "reject");
  if (rejected === undefined) return;
  const names = signIns.map(({ scheme }) => `"${formatServerName(scheme)}"`).join(" and ");
  const why = rejected.reason === undefined ? "" : ` Reason: ${rejected.reason}`;
  throw new ToolError(
    "approval_rejected",
    `A person refused to sign in for ${names}. Nothing was sent.${why} Do not repeat the call.`,
  );
}

/** Reads the state of a suspended call; `undefined` if it is not a sign-in state. */
function readSignInState(state: JsonValue): SignInState | undefined {
  if (!isRecord(state) || !Array.isArray(state["signIns"])) return undefined;
  return state as unknown as SignInState;
}

function findAnswer(id: string, answers: readonly Answer[]): Answer | undefined {
  return (
    answers.find(({ requestId }) => requestId === id) ??
    answers.find(({ requestId }) => requestId === undefined)
  );
}

/** Registers the secrets of a state that the person does not see in the URL anyway. */
function registerState(state: JsonObject, url: string, secrets: SourceSecrets): void {
  for (const member of ["verifier", "deviceCode"]) {
    const value = state[member];
    if (typeof value === "string" && !url.includes(value)) secrets.register(value);
  }
}

const maxTextLength = 300;

/**
 * Formats a name from the document for a person: on one line, so that it cannot be mistaken for another part of the
 * message.
 */
function formatServerName(text: string): string {
  const visible = visibleText(text).replace(/\s+/g, " ").trim();
  return ellipsize(visible, maxTextLength);
}
