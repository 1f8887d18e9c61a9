import {
  isThenable,
  memoryCredentials,
  ToolError,
  type Awaitable,
  type Credential,
  type CredentialKey,
  type CredentialStore,
  type TokenCredential,
} from "@toolweave/core";
import type { OAuthClients } from "./oauth-clients.ts";
import type { SchemeUse } from "./security.ts";
import type { SourceSecrets } from "./source-secrets.ts";
import type { TokenClient } from "./token-client.ts";

/** Whose call it is. */
export interface CallOwner {
  /** The caller's id. Absent: the host itself. */
  readonly caller: string | undefined;
  readonly signal: AbortSignal;
}

/** A credential that was found, and where. */
export interface FoundCredential {
  readonly credential: Credential;
  readonly key: CredentialKey;
}

/** Why a credential that is there is of no use; a sentence. */
type CredentialProblem = string;

/**
 * The credentials of callers: what a store has, and tokens, which are obtained, renewed and kept. The store is asked for
 * exactly one key at a time, and a token is kept under no other than that of whoever it was issued for.
 */
export class CallerCredentials {
  readonly #source: string;
  readonly #store: CredentialStore;
  readonly #clients: OAuthClients;
  readonly #secrets: SourceSecrets;

  constructor(
    source: string,
    store: CredentialStore | undefined,
    clients: OAuthClients,
    secrets: SourceSecrets,
  ) {
    this.#source = source;
    this.#store = store ?? memoryCredentials();
    this.#clients = clients;
    this.#secrets = secrets;
  }

  /** Whose credential a person's sign-in for this call is. */
  keyOf({ scheme }: SchemeUse, { caller }: CallOwner): CredentialKey {
    const key = { source: this.#source, scheme };
    return caller === undefined ? key : { ...key, caller };
  }

  /**
   * What can be sent without a person.
   *
   * @returns a credential; why one that is there is of no use; or nothing.
   * @throws ToolError `store_unavailable`; what the authorization server's client throws.
   */
  async find(
    use: SchemeUse,
    owner: CallOwner,
  ): Promise<FoundCredential | CredentialProblem | undefined> {
    const key = this.keyOf(use, owner);
    const own = await this.#kept(use, key, owner);
    if (typeof own === "object" || use.client === undefined || use.client.interactive) return own;
    // What the client itself is entitled to is the host's, whoever calls.
    const host: CredentialKey = { source: key.source, scheme: key.scheme };
    const kept = owner.caller === undefined ? own : await this.#kept(use, host, owner);
    return typeof kept === "object" ? kept : this.#obtain(use, use.client, host, owner);
  }

  /**
   * Another credential in place of one that the API has refused, when there is one without a person. A token that is
   * of no use any more is forgotten, where another can be had.
   */
  async replace(
    use: SchemeUse,
    { credential, key }: FoundCredential,
    owner: CallOwner,
  ): Promise<FoundCredential | undefined> {
    const { client } = use;
    if (client === undefined || credential.type !== "token") return undefined;
    const latest = await this.#read(key);
    if (latest?.type === "token" && latest.accessToken !== credential.accessToken) {
      return { credential: latest, key };
    }
    if (credential.refreshToken !== undefined) {
      const renewed = await this.#refresh(use, client, key, credential, owner);
      if (renewed !== undefined) return { credential: renewed, key };
    }
    return client.interactive ? undefined : this.#obtain(use, client, key, owner);
  }

  /** Keeps what a person has signed in for. */
  async keep(key: CredentialKey, token: TokenCredential, asked: readonly string[]): Promise<void> {
    const kept = withAsked(token, asked);
    this.#register(kept);
    await this.#ask(() => this.#store.set(key, kept));
  }

  /** Forgets a token that was refused, unless another has taken its place. */
  async forget({ credential, key }: FoundCredential): Promise<void> {
    const latest = await this.#read(key);
    if (latest?.type !== "token" || credential.type !== "token") return;
    if (latest.accessToken === credential.accessToken) {
      await this.#ask(() => this.#store.delete(key));
    }
  }

  /** What a sign-in or a token is asked for: what the registration and the operation say, and what was granted before. */
  async scopesFor(use: SchemeUse, client: TokenClient, key: CredentialKey): Promise<string[]> {
    const kept = await this.#read(key);
    const granted = kept?.type === "token" ? (kept.scopes ?? []) : [];
    return [...new Set([...client.scopes, ...use.scopes, ...granted])];
  }

  async #kept(
    use: SchemeUse,
    key: CredentialKey,
    owner: CallOwner,
  ): Promise<FoundCredential | CredentialProblem | undefined> {
    const credential = await this.#read(key);
    if (credential?.type !== "token") return credential && { credential, key };
    const lacking = lackingScopes(credential, use.scopes);
    if (lacking.length > 0) {
      return `The token for "${use.scheme}" was not granted ${lacking.join(", ")}, which the operation asks for.`;
    }
    const { expiresAt, refreshToken } = credential;
    if (expiresAt === undefined || expiresAt > Date.now()) return { credential, key };
    if (use.client !== undefined && refreshToken !== undefined) {
      const renewed = await this.#refresh(use, use.client, key, credential, owner);
      if (renewed !== undefined) return { credential: renewed, key };
    }
    return `The token for "${use.scheme}" has expired.`;
  }

  async #obtain(
    use: SchemeUse,
    client: TokenClient,
    key: CredentialKey,
    { signal }: CallOwner,
  ): Promise<FoundCredential> {
    const scopes = await this.scopesFor(use, client, key);
    const oauth = this.#clients.get(use.scheme, client, scopes);
    const token = await oauth.clientCredentials(signal);
    await this.keep(key, token, scopes);
    return { credential: token, key };
  }

  /** Nothing when a person has to sign in again. */
  async #refresh(
    use: SchemeUse,
    client: TokenClient,
    key: CredentialKey,
    token: TokenCredential,
    { signal }: CallOwner,
  ): Promise<TokenCredential | undefined> {
    const { refreshUrl } = client;
    const renewing =
      refreshUrl === undefined
        ? client
        : { ...client, options: { ...client.options, tokenUrl: refreshUrl } };
    // One client for all operations: it knows which token has replaced which.
    const oauth = this.#clients.get(use.scheme, renewing, client.scopes);
    try {
      const renewed = await oauth.refresh(token, signal);
      await this.keep(key, renewed, token.scopes ?? []);
      return renewed;
    } catch (error) {
      if (!ToolError.is(error) || error.code !== "auth_required") throw error;
      // Another process may have been quicker, and a refresh token is often good only once.
      const latest = await this.#read(key);
      if (latest?.type === "token" && latest.accessToken !== token.accessToken) return latest;
      await this.#ask(() => this.#store.delete(key));
      return undefined;
    }
  }

  async #read(key: CredentialKey): Promise<Credential | undefined> {
    // Many stores say null for what they have not.
    const credential = (await this.#ask(() => this.#store.get(key))) ?? undefined;
    if (credential !== undefined) this.#register(credential);
    return credential;
  }

  async #ask<T>(ask: () => Awaitable<T>): Promise<T> {
    try {
      const answer = ask();
      return isThenable(answer) ? await answer : answer;
    } catch (cause) {
      throw new ToolError(
        "store_unavailable",
        "The store of credentials does not answer, so that nothing was sent. Try again later.",
        { cause },
      );
    }
  }

  #register(credential: Credential): void {
    for (const secret of getSecrets(credential)) this.#secrets.renewed(secret);
  }
}

/** What must not come out of a credential. */
function getSecrets(credential: Credential): readonly string[] {
  const values: Partial<Record<string, unknown>> = { ...credential };
  return ["secret", "password", "accessToken", "refreshToken", "privateKey", "passphrase"].flatMap(
    (member) => {
      const value = values[member];
      return typeof value === "string" && value !== "" ? [value] : [];
    },
  );
}

function lackingScopes({ scopes }: TokenCredential, wanted: readonly string[]): readonly string[] {
  return scopes === undefined ? [] : wanted.filter((scope) => !scopes.includes(scope));
}

/**
 * A server that has been asked for a scope and does not name it in its grant is not asked again for it: one scope may
 * imply another, and whether it does, only the API knows.
 */
function withAsked(token: TokenCredential, asked: readonly string[]): TokenCredential {
  const { scopes } = token;
  return scopes === undefined ? token : { ...token, scopes: [...new Set([...scopes, ...asked])] };
}
