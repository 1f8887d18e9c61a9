import { ToolError, type ToolContext } from "@toolweave/core";
import type { SecretSet } from "@toolweave/core/adapter";
import type { TokenCredential } from "@toolweave/core/stores";
import { httpClient, SharedWork, type HttpClient } from "@toolweave/http";
import { TokenSecrets } from "@toolweave/core/adapter";
import type { HttpAuthorization, HttpRejection } from "../transport/messages/mcp-connection.ts";
import type { McpHttpServer } from "../options/mcp-options.ts";
import { StoredCredentials, type Owner } from "./stored-credentials.ts";
import type { BearerToken } from "../options/auth-options.ts";
import type { BegunSignIn, OAuthFlow, OAuthFlowOptions } from "./oauth-flow.ts";
import { readChallenge, SignInRequired, type Challenge } from "./sign-in-required.ts";

/** Maximum size of a response of an authorization server. */
const maxBytes = 1024 * 1024;

/** The credentials of a server over HTTP: one for each source. */
export class ServerAuth {
  readonly #server: McpHttpServer;
  readonly #secrets: TokenSecrets;
  readonly #kept: StoredCredentials;
  readonly #flowOptions: OAuthFlowOptions;
  #flow: OAuthFlow | undefined;
  readonly #http: HttpClient;
  readonly #inProgress = new SharedWork<TokenCredential | undefined>();

  /** @param secrets Secrets of the source; tokens are added to them. */
  constructor(server: McpHttpServer, secrets: SecretSet) {
    const { name, url, auth = {}, allowOrigins } = server;
    const { oauth = {}, store } = auth;
    const at = new URL(url);
    at.hash = "";
    this.#server = server;
    this.#secrets = new TokenSecrets(secrets);
    this.#kept = new StoredCredentials(name, at.href, store, this.#secrets);
    this.#http = httpClient({
      givenOrigins: [
        at.origin,
        ...(oauth.issuer === undefined ? [] : [new URL(oauth.issuer).origin]),
      ],
      allowOrigins,
      maxBytes,
    });
    this.#flowOptions = {
      server: at,
      oauth,
      kept: this.#kept,
      secrets: this.#secrets,
      http: this.#http,
    };
    for (const secret of [auth.bearer, oauth.clientSecret, oauth.privateKey?.key]) {
      if (typeof secret === "string") secrets.add(secret);
    }
  }

  /** Returns the owner of the credentials, and so of the connection, of a call: see `McpAuth`. */
  getOwner({ caller }: Pick<ToolContext, "caller">): Owner {
    const { bearer, oauth } = this.#server.auth ?? {};
    if (typeof bearer === "function") return caller?.id;
    return bearer === undefined && oauth !== undefined && !this.#isClientCredentials
      ? caller?.id
      : undefined;
  }

  /** Returns the credentials of an owner's connection. `undefined`: only the server's `headers` are sent. */
  authorizationFor(owner: Owner): HttpAuthorization | undefined {
    const { bearer, oauth } = this.#server.auth ?? {};
    if (bearer !== undefined) return this.#withBearer(bearer, owner);
    return oauth === undefined ? undefined : this.#withOAuth(owner);
  }

  /**
   * Starts a sign-in of a person.
   *
   * @throws ToolError when it cannot be started.
   */
  async begin(owner: Owner, challenge: Challenge): Promise<BegunSignIn> {
    return (await this.#oauth()).begin(owner, challenge);
  }

  /**
   * Completes a sign-in with the person's answer.
   *
   * @throws ToolError `auth_required` when a person has to start again.
   */
  async finish(owner: Owner, begun: BegunSignIn["state"], answer: string): Promise<void> {
    return (await this.#oauth()).finish(owner, begun, answer);
  }

  /** Returns the stored token of an owner. */
  token(owner: Owner): Promise<TokenCredential | undefined> {
    return this.#kept.token(owner);
  }

  /** Cancels requests in progress. */
  close(): Promise<void> {
    return this.#http.close();
  }

  /** Loaded when a person signs in, or a token is renewed. */
  async #oauth(): Promise<OAuthFlow> {
    const module = await import("./oauth-flow.ts");
    return (this.#flow ??= new module.OAuthFlow(this.#flowOptions));
  }

  get #isClientCredentials(): boolean {
    return this.#server.auth?.oauth?.flow === "clientCredentials";
  }

  #withBearer(bearer: BearerToken, owner: Owner): HttpAuthorization {
    if (typeof bearer === "string") {
      const headers = toHeaders(bearer);
      return { headers: () => headers, onRejected: () => false };
    }
    const getHeaders = async (): Promise<Readonly<Record<string, string>>> => {
      try {
        const token = await bearer({
          source: this.#server.name,
          ...(owner === undefined ? {} : { caller: owner }),
        });
        this.#secrets.add(token);
        return toHeaders(token);
      } catch (cause) {
        throw new ToolError(
          "auth_required",
          `The token for the MCP server ${this.#server.name} could not be obtained: the host's function for it failed.`,
          { cause },
        );
      }
    };
    return {
      headers: getHeaders,
      onRejected: async ({ attempt, sent }) => attempt === 0 && !isSame(sent, await getHeaders()),
    };
  }

  #withOAuth(owner: Owner): HttpAuthorization {
    return {
      headers: async () => toHeaders((await this.#usable(owner))?.accessToken),
      onRejected: async (refusal) => {
        const challenge = readChallenge(refusal);
        if (challenge.status === 403 && challenge.error !== "insufficient_scope") return false;
        const token = await this.#kept.token(owner);
        const isOther = token !== undefined && !isSame(refusal.sent, toHeaders(token.accessToken));
        // Another request has renewed it.
        if (isOther && refusal.attempt === 0) return true;
        return this.#isClientCredentials
          ? this.#obtained(refusal, challenge)
          : this.#renewed(owner, token, refusal, challenge);
      },
    };
  }

  /** Returns a token that has not expired, as far as is known. */
  async #usable(owner: Owner): Promise<TokenCredential | undefined> {
    const token = await this.#kept.token(owner);
    if (token === undefined || token.expiresAt === undefined || token.expiresAt > Date.now()) {
      return token;
    }
    // Without a token the server responds with its challenge.
    return this.#isClientCredentials ? undefined : this.#renew(owner, token);
  }

  async #renewed(
    owner: Owner,
    token: TokenCredential | undefined,
    { attempt, signal }: HttpRejection,
    challenge: Challenge,
  ): Promise<boolean> {
    // A renewed token has no additional scopes (RFC 6749 section 6).
    const mayHelp = challenge.status === 401 && attempt === 0 && token !== undefined;
    if (mayHelp && (await this.#renew(owner, token, challenge.metadataUrl, signal)) !== undefined) {
      return true;
    }
    throw new SignInRequired(this.#server.name, challenge);
  }

  #renew(
    owner: Owner,
    old: TokenCredential,
    metadataUrl?: URL,
    signal?: AbortSignal,
  ): Promise<TokenCredential | undefined> {
    const name = JSON.stringify([owner ?? null, old.accessToken]);
    return this.#inProgress.run(name, signal, () =>
      this.#kept.renewToken(owner, async () => {
        const latest = await this.#kept.token(owner);
        if (latest !== undefined && latest.accessToken !== old.accessToken) return latest;
        return (await this.#oauth()).renew(owner, old, metadataUrl);
      }),
    );
  }

  async #obtained({ attempt, signal }: HttpRejection, challenge: Challenge): Promise<boolean> {
    if (attempt > 0) return false;
    const name = `itself ${challenge.scopes.join(" ")}`;
    await this.#inProgress.run(name, signal, async () => (await this.#oauth()).obtain(challenge));
    return true;
  }
}

function toHeaders(token: string | undefined): Readonly<Record<string, string>> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

function isSame(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): boolean {
  return one["authorization"] === other["authorization"];
}
