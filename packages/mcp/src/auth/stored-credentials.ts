import {
  isThenable,
  memoryCredentials,
  ToolError,
  type Awaitable,
  type ClientCredential,
  type Credential,
  type CredentialKey,
  type CredentialStore,
  type TokenCredential,
} from "@toolweave/core";
import { isSameIssuer } from "./issuer.ts";
import type { TokenSecrets } from "./token-secrets.ts";

/** Whose credentials: a caller's, by id; `undefined`: the host's own. */
export type Owner = string | undefined;

/**
 * What the store has for a server: tokens of each owner, and as whom the host has registered itself. A token that was
 * issued for another server is none: a source's name may come to mean another server.
 */
export class StoredCredentials {
  readonly #source: string;
  readonly #resource: string;
  readonly #store: CredentialStore;
  readonly #secrets: TokenSecrets;

  /** @param resource the server's URL. */
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

  /** A token, or a secret that a host has put there and that cannot be renewed. */
  async token(owner: Owner): Promise<TokenCredential | undefined> {
    const kept = await this.#read(this.#key(owner));
    if (kept?.type === "secret") return { type: "token", accessToken: kept.secret };
    if (kept?.type !== "token") return undefined;
    const isOurs = kept.bound === undefined || kept.bound.resource === this.#resource;
    return isOurs ? kept : undefined;
  }

  /** Keeps a token, as issued to this client for this server. */
  async keepToken(owner: Owner, token: TokenCredential, client: ClientCredential): Promise<void> {
    const kept = { ...token, bound: { resource: this.#resource, client } };
    this.#register(kept);
    await this.#ask(() => this.#store.set(this.#key(owner), kept));
  }

  /** Forgets a token that is of no use, unless another has taken its place. */
  async forgetToken(owner: Owner, { accessToken }: TokenCredential): Promise<void> {
    const key = this.#key(owner);
    const latest = await this.#read(key);
    if (latest?.type !== "token" || latest.accessToken !== accessToken) return;
    await this.#ask(() => this.#store.delete(key));
  }

  /** As whom the host has registered itself at this server, for this way back; it may not be enough for some scopes. */
  async client(
    issuer: string,
    redirectUri: string,
    scopes: readonly string[],
  ): Promise<ClientCredential | undefined> {
    const kept = await this.#read(this.#clientKey);
    if (kept?.type !== "client" || !isSameIssuer(kept.issuer, issuer)) return undefined;
    const isGood = kept.expiresAt === undefined || kept.expiresAt > Date.now();
    const isEnough = scopes.every((scope) => kept.scopes?.includes(scope) ?? true);
    return isGood && isEnough && kept.redirectUri === redirectUri ? kept : undefined;
  }

  async keepClient(client: ClientCredential): Promise<void> {
    this.#register(client);
    await this.#ask(() => this.#store.set(this.#clientKey, client));
  }

  /** Forgets a registration that its server does not know any more, unless another has taken its place. */
  async forgetClient({ clientId }: ClientCredential): Promise<void> {
    const kept = await this.#read(this.#clientKey);
    if (kept?.type !== "client" || kept.clientId !== clientId) return;
    await this.#ask(() => this.#store.delete(this.#clientKey));
  }

  get #clientKey(): CredentialKey {
    return { source: this.#source, scheme: "oauth-client" };
  }

  #key(owner: Owner): CredentialKey {
    const key = { source: this.#source, scheme: "oauth" };
    return owner === undefined ? key : { ...key, caller: owner };
  }

  async #read(key: CredentialKey): Promise<Credential | undefined> {
    // Many stores say null for what they have not.
    const credential = (await this.#ask(() => this.#store.get(key))) ?? undefined;
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
}
