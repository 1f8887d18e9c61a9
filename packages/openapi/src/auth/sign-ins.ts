import {
  suspend,
  ToolError,
  type JsonValue,
  type Suspension,
  type ToolContext,
} from "@toolweave/core";
import type { CallerCredentials, CallOwner } from "./caller-credentials.ts";
import type { OAuthClients, TokenClient } from "./token-client.ts";
import type { CredentialPlan, SchemeUse } from "./security.ts";
import {
  beginSignIn,
  finishSignIn,
  readSignInState,
  assertNotRejected,
  type PendingSignIn,
  type SignInState,
} from "./sign-in.ts";
import type { SourceSecrets } from "./source-secrets.ts";

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
