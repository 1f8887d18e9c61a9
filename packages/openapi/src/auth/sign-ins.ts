import {
  suspend,
  ToolError,
  type JsonValue,
  type Suspension,
  type ToolContext,
} from "@toolweave/core";
import type { CallerCredentials, CallOwner } from "./caller-credentials.ts";
import type { OAuthClients } from "./oauth-clients.ts";
import type { CredentialPlan, SchemeUse } from "./security.ts";
import {
  beginSignIn,
  finishSignIn,
  readSignInState,
  refuseRejected,
  type PendingSignIn,
  type SignInState,
} from "./sign-in.ts";
import type { SourceSecrets } from "./source-secrets.ts";
import type { TokenClient } from "./token-client.ts";

/** Lets callers sign in: a call waits for its caller, and what they sign in for is kept as theirs. */
export class SignIns {
  readonly #credentials: CallerCredentials;
  readonly #clients: OAuthClients;
  readonly #secrets: SourceSecrets;

  constructor(credentials: CallerCredentials, clients: OAuthClients, secrets: SourceSecrets) {
    this.#credentials = credentials;
    this.#clients = clients;
    this.#secrets = secrets;
  }

  /** Asks a person for all that is missing at once. */
  async ask(uses: readonly SchemeUse[], ctx: ToolContext, owner: CallOwner): Promise<Suspension> {
    const signIns: PendingSignIn[] = [];
    for (const use of uses) {
      const client = use.client as TokenClient;
      const key = this.#credentials.keyOf(use, owner);
      const scopes = await this.#credentials.scopesFor(use, client, key);
      const oauth = this.#clients.get(use.scheme, client, scopes);
      const id = `${ctx.callId}:auth:${signIns.length + 1}`;
      signIns.push(await beginSignIn(use, client.flow, scopes, oauth, id, ctx, this.#secrets));
    }
    return suspension(signIns, owner);
  }

  /**
   * Goes on with the sign-ins of a resumed call.
   *
   * @returns what is still waited for; nothing when all is done, or there was nothing to do.
   * @throws ToolError `approval_rejected` when a person would not sign in, `auth_required` when it failed.
   */
  async goOn(
    { alternatives }: CredentialPlan,
    { resumed, signal }: ToolContext,
    owner: CallOwner,
  ): Promise<Suspension | undefined> {
    const state = resumed && readSignInState(resumed.state);
    if (resumed === undefined || state === undefined) return undefined;
    if (state.caller !== (owner.caller ?? null)) {
      throw new ToolError("auth_required", "This sign-in was begun on behalf of somebody else.");
    }
    refuseRejected(state.signIns, resumed.answers);
    const uses = alternatives.flat();
    const pending: PendingSignIn[] = [];
    for (const signIn of state.signIns) {
      const use = uses.find(
        ({ scheme, client }) => scheme === signIn.scheme && client?.flow === signIn.flow,
      );
      // The document has changed meanwhile.
      if (use?.client === undefined) continue;
      // Somebody has signed in meanwhile, or the call is tried once more after its sign-in.
      if (typeof (await this.#credentials.find(use, owner)) === "object") continue;
      const client = this.#clients.get(use.scheme, use.client, signIn.scopes);
      const token = await finishSignIn(signIn, resumed.answers, client, signal, this.#secrets);
      if (token === undefined) pending.push(signIn);
      else await this.#credentials.keep(this.#credentials.keyOf(use, owner), token, signIn.scopes);
    }
    return pending.length === 0 ? undefined : suspension(pending, owner);
  }
}

function suspension(signIns: readonly PendingSignIn[], { caller }: CallOwner): Suspension {
  const state: SignInState = { caller: caller ?? null, signIns };
  return suspend(
    signIns.map(({ request }) => request),
    state as unknown as JsonValue,
  );
}
