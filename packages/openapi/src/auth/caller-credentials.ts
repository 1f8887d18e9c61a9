import { ToolError, type Awaitable } from "@toolweave/core";
import { isThenable } from "@toolweave/core/adapter";
import {
  memoryCredentials,
  type Credential,
  type CredentialKey,
  type CredentialStore,
  type TokenCredential,
} from "@toolweave/core/stores";
import { renewExclusively, SharedWork } from "@toolweave/http";
import type { TokenClient } from "./token-client.ts";
import type { OAuthClients } from "./oauth-clients.ts";
import type { SchemeUse } from "./security.ts";
import type { SourceSecrets } from "./source-secrets.ts";

/** The owner of a call. */
export interface CallOwner {
  /** The caller's id. Absent: the host itself. */
  readonly caller: string | undefined;
  readonly signal: AbortSignal;
}

/** A stored credential and its key. */
export interface FoundCredential {
  readonly credential: Credential;
  readonly key: CredentialKey;
}

/** The reason for which a stored credential cannot be used; a sentence. */
type CredentialProblem = string;

/**
 * The credentials of callers: those in a store, and tokens, which are obtained, renewed and stored. The store is read
 * with exactly one key at a time, and a token is stored only under the key of the caller for whom it was issued.
 */
export class CallerCredentials {
  readonly #source: string;
  readonly #store: CredentialStore;
  readonly #clients: OAuthClients;
  readonly #secrets: SourceSecrets;
  readonly #renewals = new SharedWork<TokenCredential | undefined>();

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

  /** Returns the key of the credential that a person's sign-in for this call creates. */
  getKey({ scheme }: SchemeUse, { caller }: CallOwner): CredentialKey {
    const key = { source: this.#source, scheme };
    return caller === undefined ? key : { ...key, caller };
  }

  /**
   * Finds a credential that does not need a person.
   *
   * @returns a credential; the reason for which an existing one cannot be used; or nothing.
   * @throws ToolError `store_unavailable`, and the errors of the authorization server's client.
   */
  async find(
    use: SchemeUse,
    owner: CallOwner,
  ): Promise<FoundCredential | CredentialProblem | undefined> {
    const key = this.getKey(use, owner);
    const own = await this.#findStored(use, key, owner);
    if (typeof own === "object" || use.client === undefined || use.client.interactive) return own;
    // A token of the client itself belongs to the host and serves all callers.
    const host: CredentialKey = { source: key.source, scheme: key.scheme };
    const kept = owner.caller === undefined ? own : await this.#findStored(use, host, owner);
    return typeof kept === "object" ? kept : this.#obtain(use, use.client, host, owner);
  }

  /**
   * Replaces a credential that the API has refused, if that is possible without a person. A token that can no longer be
   * used is deleted if another can be obtained.
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

  /** Stores the token of a completed sign-in. */
  async storeToken(
    key: CredentialKey,
    token: TokenCredential,
    asked: readonly string[],
  ): Promise<void> {
    const kept = withRequestedScopes(token, asked);
    this.#registerSecrets(kept);
    await this.#callStore(() => this.#store.set(key, kept));
  }

  /** Deletes a token that was refused, unless another has replaced it. */
  async deleteRefused({ credential, key }: FoundCredential): Promise<void> {
    const latest = await this.#read(key);
    if (latest?.type !== "token" || credential.type !== "token") return;
    if (latest.accessToken === credential.accessToken) {
      await this.#callStore(() => this.#store.delete(key));
    }
  }

  /** Returns the scopes to request: those of the registration, those of the operation, and those granted before. */
  async getScopes(use: SchemeUse, client: TokenClient, key: CredentialKey): Promise<string[]> {
    const kept = await this.#read(key);
    const granted = kept?.type === "token" ? (kept.scopes ?? []) : [];
    return [...new Set([...client.scopes, ...use.scopes, ...granted])];
  }

  async #findStored(
    use: SchemeUse,
    key: CredentialKey,
    owner: CallOwner,
  ): Promise<FoundCredential | CredentialProblem | undefined> {
    const credential = await this.#read(key);
    if (credential?.type !== "token") return credential && { credential, key };
    const lacking = missingScopes(credential, use.scopes);
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
    const scopes = await this.getScopes(use, client, key);
    const oauth = this.#clients.get(use.scheme, client, scopes);
    const token = await oauth.clientCredentials(signal);
    await this.storeToken(key, token, scopes);
    return { credential: token, key };
  }

  /** Returns nothing if a person has to sign in again. A caller that aborts does not stop the renewal. */
  #refresh(
    use: SchemeUse,
    client: TokenClient,
    key: CredentialKey,
    token: TokenCredential,
    { signal }: CallOwner,
  ): Promise<TokenCredential | undefined> {
    const name = JSON.stringify([key.scheme, key.caller ?? null, token.accessToken]);
    return this.#renewals.run(name, signal, () =>
      renewExclusively(this.#store, key, async () => {
        const latest = await this.#read(key);
        const isOther = latest?.type === "token" && latest.accessToken !== token.accessToken;
        return isOther ? latest : this.#renew(use, client, key, token);
      }),
    );
  }

  async #renew(
    use: SchemeUse,
    client: TokenClient,
    key: CredentialKey,
    token: TokenCredential,
  ): Promise<TokenCredential | undefined> {
    const { refreshUrl } = client;
    const renewing =
      refreshUrl === undefined
        ? client
        : { ...client, options: { ...client.options, tokenUrl: refreshUrl } };
    // One client for all operations: it knows which tokens have been replaced, and by which.
    const oauth = this.#clients.get(use.scheme, renewing, client.scopes);
    try {
      const renewed = await oauth.refresh(token);
      await this.storeToken(key, renewed, token.scopes ?? []);
      return renewed;
    } catch (error) {
      if (!ToolError.is(error) || error.code !== "auth_required") throw error;
      // Another process may have renewed it first, and a refresh token is often valid only once.
      const latest = await this.#read(key);
      if (latest?.type === "token" && latest.accessToken !== token.accessToken) return latest;
      await this.#callStore(() => this.#store.delete(key));
      return undefined;
    }
  }

  async #read(key: CredentialKey): Promise<Credential | undefined> {
    // Many stores return null for a missing entry.
    const credential = (await this.#callStore(() => this.#store.get(key))) ?? undefined;
    if (credential !== undefined) this.#registerSecrets(credential);
    return credential;
  }

  async #callStore<T>(ask: () => Awaitable<T>): Promise<T> {
    try {
      const answer = ask();
      return isThenable(answer) ? await answer : answer;
    } catch (cause) {
      throw new ToolError(
        "store_unavailable",
        "The credential store is unavailable. Nothing was sent. Try again later.",
        { cause },
      );
    }
  }

  #registerSecrets(credential: Credential): void {
    for (const secret of getSecrets(credential)) this.#secrets.register(secret);
  }
}

/** Returns the values of a credential that must be redacted. */
function getSecrets(credential: Credential): readonly string[] {
  const values: Partial<Record<string, unknown>> = { ...credential };
  return ["secret", "password", "accessToken", "refreshToken", "privateKey", "passphrase"].flatMap(
    (member) => {
      const value = values[member];
      return typeof value === "string" && value !== "" ? [value] : [];
    },
  );
}

function missingScopes({ scopes }: TokenCredential, wanted: readonly string[]): readonly string[] {
  return scopes === undefined ? [] : wanted.filter((scope) => !scopes.includes(scope));
}

/**
 * Adds the requested scopes to those of a token. A server that was asked for a scope and does not list it in its grant
 * is not asked again: one scope may imply another, and only the API knows whether it does.
 */
function withRequestedScopes(token: TokenCredential, asked: readonly string[]): TokenCredential {
  const { scopes } = token;
  return scopes === undefined ? token : { ...token, scopes: [...new Set([...scopes, ...asked])] };
}
