import { ToolError, type Awaitable } from "@toolweave/core";
import { isThenable } from "@toolweave/core/adapter";
import {
  memoryCredentials,
  type ClientCredential,
  type Credential,
  type CredentialKey,
  type CredentialStore,
  type TokenCredential,
} from "@toolweave/core/stores";
import { renewExclusively } from "@toolweave/http";
import type { TokenSecrets } from "@toolweave/core/adapter";

/** Owner of credentials: the id of a caller; `undefined`: the host. */
export type Owner = string | undefined;

/**
 * The stored credentials of a server: the token of each owner, and the host's registration. A token that was issued
 * for another server is ignored: a source's name may come to mean another server.
 */
export class StoredCredentials {
  readonly #source: string;
  readonly #resource: string;
  readonly #store: CredentialStore;
  readonly #secrets: TokenSecrets;

  /** @param resource URL of the server. */
  constructor(
    source: string,
    resource: string,
    store: CredentialStore | undefined,
    secrets: TokenSecrets,
  ) {
    this.#source = source;
    this.#resource = resource;
    this.#store = store ?? memoryCredentials();
    this.#secrets = secrets;
  }

  /** Returns a token, or a secret that the host has stored and that cannot be renewed. */
  async token(owner: Owner): Promise<TokenCredential | undefined> {
    const kept = await this.#read(this.#key(owner));
    if (kept?.type === "secret") return { type: "token", accessToken: kept.secret };
    if (kept?.type !== "token") return undefined;
    const isOurs = kept.bound === undefined || kept.bound.resource === this.#resource;
    return isOurs ? kept : undefined;
  }

  /** Stores a token, bound to this client and this server. */
  async keepToken(owner: Owner, token: TokenCredential, client: ClientCredential): Promise<void> {
    const kept = { ...token, bound: { resource: this.#resource, client } };
    this.#register(kept);
    await this.#run(() => this.#store.set(this.#key(owner), kept));
  }

  /** Renews a token while no other process does. */
  renewToken<T>(owner: Owner, renew: () => Promise<T>): Promise<T> {
    return renewExclusively(this.#store, this.#key(owner), renew);
  }

  /** Deletes a token that is no longer valid, unless another one has replaced it. */
  async forgetToken(owner: Owner, { accessToken }: TokenCredential): Promise<void> {
    const key = this.#key(owner);
    const latest = await this.#read(key);
    if (latest?.type !== "token" || latest.accessToken !== accessToken) return;
    await this.#run(() => this.#store.delete(key));
  }

  /** Returns the host's registration at this server for this redirect URI, unless it lacks one of the scopes. */
  async client(
    issuer: string,
    redirectUri: string,
    scopes: readonly string[],
  ): Promise<ClientCredential | undefined> {
    const kept = await this.#read(this.#clientKey);
    if (kept?.type !== "client" || !isSameIssuer(kept.issuer, issuer)) return undefined;
    const isValid = kept.expiresAt === undefined || kept.expiresAt > Date.now();
    const isEnough = scopes.every((scope) => kept.scopes?.includes(scope) ?? true);
    return isValid && isEnough && kept.redirectUri === redirectUri ? kept : undefined;
  }

  async keepClient(client: ClientCredential): Promise<void> {
    this.#register(client);
    await this.#run(() => this.#store.set(this.#clientKey, client));
  }

  /** Deletes a registration that its server no longer knows, unless another one has replaced it. */
  async forgetClient({ clientId }: ClientCredential): Promise<void> {
    const kept = await this.#read(this.#clientKey);
    if (kept?.type !== "client" || kept.clientId !== clientId) return;
    await this.#run(() => this.#store.delete(this.#clientKey));
  }

  get #clientKey(): CredentialKey {
    return { source: this.#source, scheme: "oauth-client" };
  }

  #key(owner: Owner): CredentialKey {
    const key = { source: this.#source, scheme: "oauth" };
    return owner === undefined ? key : { ...key, caller: owner };
  }

  async #read(key: CredentialKey): Promise<Credential | undefined> {
    // Many stores return null for missing entries.
    const credential = (await this.#run(() => this.#store.get(key))) ?? undefined;
    if (credential !== undefined) this.#register(credential);
    return credential;
  }

  #register(credential: Credential): void {
    if (credential.type === "secret") this.#secrets.add(credential.secret);
    if (credential.type === "client") this.#secrets.add(credential.clientSecret);
    if (credential.type !== "token") return;
    this.#secrets.add(credential.accessToken);
    this.#secrets.add(credential.refreshToken);
    this.#secrets.add(credential.bound?.client.clientSecret);
  }

  async #run<T>(access: () => Awaitable<T>): Promise<T> {
    try {
      const result = access();
      return isThenable(result) ? await result : result;
    } catch (cause) {
      throw new ToolError(
        "store_unavailable",
        "The credential store is not available, so nothing was sent. Try again later.",
        { cause },
      );
    }
  }
}

/**
 * True for two names of the same authorization server. A trailing slash makes no difference: the URL of a server
 * without a path is written in both ways.
 */
export function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, "") === other.replace(/\/$/, "");
}
