/** The message of the authorization server when it is ready. */
export interface SignIn {
  /** Of the server, and of the API. */
  readonly origin: string;
  readonly clientId: string;
  /** Of the person who has signed in. */
  readonly refreshToken: string;
}

/** The answer of the server at `/state`. */
export interface AuthorizationState {
  readonly renewals: number;
  /** Renewals that it has refused. */
  readonly refusals: number;
  /** Every token that it has issued. */
  readonly tokens: readonly string[];
}
