import { ToolError, type SecretSet, type TokenCredential, type ToolContext } from "@toolweave/core";
import { httpClient, SharedWork, type HttpClient } from "@toolweave/http";
import { guardedFetch } from "./guarded-fetch.ts";
import type { HttpAuthorization, HttpRefusal } from "../transport/messages/mcp-connection.ts";
import type { McpHttpServer } from "../options/mcp-options.ts";
import { StoredCredentials, type Owner } from "./stored-credentials.ts";
import type { BearerToken } from "../options/auth-options.ts";
import type { BegunSignIn, OAuthFlow, OAuthFlowOptions } from "./oauth-flow.ts";
import { TokenSecrets } from "./token-secrets.ts";
import { readChallenge } from "./read-challenge.ts";
import { SignInRequired, type Challenge } from "./sign-in-required.ts";

/** What an authorization server answers is small. */
const mostBytes = 1024 * 1024;

/** The credentials of a server over HTTP: one for each source. */
export class ServerAuth {
  readonly #server: McpHttpServer;
  readonly #secrets: TokenSecrets;
  readonly #kept: StoredCredentials;
  readonly #flowOptions: OAuthFlowOptions;
  #flow: OAuthFlow | undefined;
  readonly #http: HttpClient;
  readonly #underWay = new SharedWork<TokenCredential | undefined>();

  /** @param secrets the source's; tokens join them. */
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
      maxBytes: mostBytes,
    });
    this.#flowOptions = {
      server: at,
      oauth,
      kept: this.#kept,
      secrets: this.#secrets,
      fetch: guardedFetch(this.#http),
    };
    for (const secret of [auth.bearer, oauth.clientSecret, oauth.privateKey?.key]) {
      if (typeof secret === "string") secrets.add(secret);
    }
  }

  /** Whose credentials a call uses, and so whose connection it needs: see `McpAuth`. */
  ownerOf({ caller }: Pick<ToolContext, "caller">): Owner {
    const { bearer, oauth } = this.#server.auth ?? {};
    if (typeof bearer === "function") return caller?.id;
    return bearer === undefined && oauth !== undefined && !this.#isItself ? caller?.id : undefined;
  }

  /** What the requests of an owner's connection carry. `undefined`: nothing but the server's `headers`. */
  authorizationFor(owner: Owner): HttpAuthorization | undefined {
    const { bearer, oauth } = this.#server.auth ?? {};
    if (bearer !== undefined) return this.#withBearer(bearer, owner);
    return oauth === undefined ? undefined : this.#withOAuth(owner);
  }

  /** Begins a sign-in of a person. @throws ToolError when none can be begun. */
  async begin(owner: Owner, challenge: Challenge): Promise<BegunSignIn> {
    return (await this.#oauth()).begin(owner, challenge);
  }

  /** Ends it with what came back. @throws ToolError `auth_required` when a person has to begin again. */
  async finish(owner: Owner, begun: BegunSignIn["state"], answer: string): Promise<void> {
    return (await this.#oauth()).finish(owner, begun, answer);
  }

  /** What is kept for an owner now. */
  token(owner: Owner): Promise<TokenCredential | undefined> {
    return this.#kept.token(owner);
  }

  /** Cancels what is under way. */
  close(): Promise<void> {
    return this.#http.close();
  }

  /** Loaded when somebody signs in, or a token is renewed. */
  async #oauth(): Promise<OAuthFlow> {
    const module = await import("./oauth-flow.ts");
    return (this.#flow ??= new module.OAuthFlow(this.#flowOptions));
  }

  get #isItself(): boolean {
    return this.#server.auth?.oauth?.flow === "clientCredentials";
  }

  #withBearer(bearer: BearerToken, owner: Owner): HttpAuthorization {
    if (typeof bearer === "string") {
      const headers = headersOf(bearer);
      return { headers: () => headers, refused: () => false };
    }
    const ask = async (): Promise<Readonly<Record<string, string>>> => {
      try {
        const token = await bearer({
          source: this.#server.name,
          ...(owner === undefined ? {} : { caller: owner }),
        });
        this.#secrets.add(token);
        return headersOf(token);
      } catch (cause) {
        throw new ToolError(
          "auth_required",
          `The token for the MCP server ${this.#server.name} could not be obtained: the host's function for it failed.`,
          { cause },
        );
      }
    };
    return {
      headers: ask,
      refused: async ({ attempt, sent }) => attempt === 0 && !isSame(sent, await ask()),
    };
  }

  #withOAuth(owner: Owner): HttpAuthorization {
    return {
      headers: async () => headersOf((await this.#usable(owner))?.accessToken),
      refused: async (refusal) => {
        const challenge = readChallenge(refusal);
        if (challenge.status === 403 && challenge.error !== "insufficient_scope") return false;
        const token = await this.#kept.token(owner);
        const isOther = token !== undefined && !isSame(refusal.sent, headersOf(token.accessToken));
        // Another request has been quicker.
        if (isOther && refusal.attempt === 0) return true;
        return this.#isItself
          ? this.#obtained(refusal, challenge)
          : this.#renewed(owner, token, refusal, challenge);
      },
    };
  }

  /** A token that has not expired, as far as is known. */
  async #usable(owner: Owner): Promise<TokenCredential | undefined> {
    const token = await this.#kept.token(owner);
    if (token === undefined || token.expiresAt === undefined || token.expiresAt > Date.now()) {
      return token;
    }
    // Without one the server says what it wants.
    return this.#isItself ? undefined : this.#renew(owner, token);
  }

  async #renewed(
    owner: Owner,
    token: TokenCredential | undefined,
    { attempt, signal }: HttpRefusal,
    challenge: Challenge,
  ): Promise<boolean> {
    // To renew a token adds nothing to it (RFC 6749 section 6).
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
    return this.#underWay.run(name, signal, async () => {
      const latest = await this.#kept.token(owner);
      if (latest !== undefined && latest.accessToken !== old.accessToken) return latest;
      return (await this.#oauth()).renew(owner, old, metadataUrl);
    });
  }

  async #obtained({ attempt, signal }: HttpRefusal, challenge: Challenge): Promise<boolean> {
    if (attempt > 0) return false;
    const name = `itself ${challenge.scopes.join(" ")}`;
    await this.#underWay.run(name, signal, async () => (await this.#oauth()).obtain(challenge));
    return true;
  }
}

function headersOf(token: string | undefined): Readonly<Record<string, string>> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

function isSame(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): boolean {
  return one["authorization"] === other["authorization"];
}
