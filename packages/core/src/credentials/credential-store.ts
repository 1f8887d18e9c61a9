import type { Awaitable } from "../json/json.ts";

/** Which credential, and whose. */
export interface CredentialKey {
  /** The `id` of the source that needs it. */
  readonly source: string;
  /** Its name there: a security scheme of an OpenAPI document; `oauth` for an MCP server. */
  readonly scheme: string;
  /** The caller on whose behalf it is used, by `Caller.id`. Absent: the host's own. */
  readonly caller?: string;
}

/** A secret as it is sent: an API key, or a token that cannot be renewed. */
export interface SecretCredential {
  readonly type: "secret";
  readonly secret: string;
}

/** A user name and a password, for the basic and digest schemes of HTTP. */
export interface PasswordCredential {
  readonly type: "password";
  readonly username: string;
  readonly password: string;
}

/** A token that an OAuth 2 authorization server has issued (RFC 6749 section 5.1). */
export interface TokenCredential {
  readonly type: "token";
  readonly accessToken: string;
  /** From when on it is used no more, in milliseconds since the epoch. Absent: not known. */
  readonly expiresAt?: number;
  readonly refreshToken?: string;
  /** The granted scopes. Absent: those that were requested. */
  readonly scopes?: readonly string[];
  /**
   * The API and the caller to which the token is bound: it is sent to no other. Absent: the holder of the token knows.
   */
  readonly bound?: {
    /** The URL of the API. */
    readonly resource: string;
    /** The client to which it was issued, and which renews it. */
    readonly client: ClientCredential;
  };
}

/** The registration of the host at an authorization server, made by the host itself (RFC 7591) or by a person. */
export interface ClientCredential {
  readonly type: "client";
  /** The server that knows it; it is sent to no other. */
  readonly issuer: string;
  readonly clientId: string;
  /** Absent: a public client, or a secret that is stored elsewhere. */
  readonly clientSecret?: string;
  /** How it proves who it is there, by the registered name: `client_secret_post`. */
  readonly clientAuthentication?: string;
  /** Where the server sends people back to. */
  readonly redirectUri?: string;
  /** The scopes that it may request. Absent: not known. */
  readonly scopes?: readonly string[];
  /** When its secret ends, in milliseconds since the epoch. Absent: never. */
  readonly expiresAt?: number;
}

/** A certificate for mutual TLS, with its key; both PEM. */
export interface CertificateCredential {
  readonly type: "certificate";
  readonly certificate: string;
  readonly privateKey: string;
  readonly passphrase?: string;
}

/** The credential that authorises a request. */
export type Credential =
  | SecretCredential
  | PasswordCredential
  | TokenCredential
  | ClientCredential
  | CertificateCredential;

/**
 * A store of credentials: a vault, a file, a keychain. Adapters read from it before a request, and write tokens that
 * were issued or renewed. If it throws, the call fails with `store_unavailable`.
 */
export interface CredentialStore {
  /** The credential of exactly this key; a store decides itself whether a caller shares the host's. */
  get(key: CredentialKey): Awaitable<Credential | undefined>;
  /** Keeps it in place of what was there. */
  set(key: CredentialKey, credential: Credential): Awaitable<void>;
  /** Forgets it, because it was refused. Nothing happens when there is none. */
  delete(key: CredentialKey): Awaitable<void>;
  /**
   * Does `work` while no other work of this key is done, in any process that shares the store: a token is renewed once,
   * since its refresh token is often good only once. The work of a process that has ended does not block others for
   * long. Rejects with the error of the work, or of the store, which has not done the work then. Absent: two processes
   * may renew a token at the same moment.
   */
  exclusive?(key: CredentialKey, work: () => Promise<void>): Promise<void>;
}

/** Credentials in memory, which end with the process. */
export function memoryCredentials(): CredentialStore {
  const kept = new Map<string, Credential>();
  const toName = ({ source, scheme, caller }: CredentialKey): string =>
    JSON.stringify([source, scheme, caller ?? null]);
  /** The last work of each key. */
  const works = new Map<string, Promise<unknown>>();
  return {
    get: (key) => kept.get(toName(key)),
    set: (key, credential) => void kept.set(toName(key), credential),
    delete: (key) => void kept.delete(toName(key)),
    exclusive: async (key, work) => {
      const name = toName(key);
      const done = Promise.resolve(works.get(name)).then(work);
      const settled = done.catch(() => {});
      works.set(name, settled);
      await done.finally(() => {
        if (works.get(name) === settled) works.delete(name);
      });
    },
  };
}
