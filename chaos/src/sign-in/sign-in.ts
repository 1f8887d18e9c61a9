/** What the authorization server sends when it is ready. */
export interface SignIn {
  /** Of the server, and of the API. */
  readonly origin: string;
  readonly clientId: string;
  /** Of the person who has signed in. */
  readonly refreshToken: string;
}

/** What the server answers at `/state`. */
export interface AuthorizationState {
  readonly renewals: number;
  /** Renewals that it has refused. */
  readonly refusals: number;
  /** Every token that it has issued. */
  readonly tokens: readonly string[];
}
