import { SecretSet } from "@toolweave/core/adapter";
import { checkServer } from "../options/check-server.ts";
import type { McpHttpServer } from "../options/mcp-options.ts";
import { toConnectError } from "../transport/call-error.ts";
import { ServerAuth } from "./server-auth.ts";
import { SignInRequired } from "./sign-in-required.ts";

const defaultTimeoutMs = 60_000;

/** A sign-in that a person can complete. */
export interface SignIn {
  /** URL at which the person signs in. Display it, and do not open it with a shell: the server has chosen it. */
  readonly url: string;
  /** Requested scopes. May be empty. */
  readonly scopes: readonly string[];
  /**
   * Stores the credentials of the sign-in.
   *
   * @param answer The full URL that the person was redirected to, or the code if the server only displayed one.
   * @throws ToolError `auth_required` when the answer belongs to another sign-in, or the server or the person
   * declined.
   */
  finish(answer: string): Promise<void>;
}

/** Options of a sign-in. */
export interface SignInOptions {
  /** Id of the owner. Default: the host itself, which lists tools. */
  readonly caller?: string;
  readonly signal?: AbortSignal;
}

/**
 * Lets a person sign in at a server before the first call, as `toolweave login` does. Requests the server's tools
 * with the credentials in `auth.store`; if the server rejects them, a sign-in is started. Its credentials are stored
 * in `auth.store`, where a source of the same `name` and `url` finds them: use a persistent one.
 *
 * @returns `undefined` when the server accepts the credentials.
 * @throws ToolError errors of the connection and of the authorization server's metadata: `invalid_configuration` for invalid
 * options, `permission_denied` with the option to set when the authorization server is on a private address,
 * `auth_required` when it accepts only registered clients.
 * @example
 * ```ts
 * const server = { name: "museum", url: "https://museum.example/mcp", auth: { oauth: {}, store } };
 * const begun = await signIn(server);
 * if (begun !== undefined) {
 * console.log(`Sign in at ${begun.url}`);
 * await begun.finish(await pastedAddress());
 * }
 * ```
 */
export async function signIn(
  server: McpHttpServer,
  options: SignInOptions = {},
): Promise<SignIn | undefined> {
  checkServer(server);
  const { caller, signal } = options;
  const auth = new ServerAuth({ ...server, auth: { oauth: {}, ...server.auth } }, new SecretSet());
  const required = await findChallenge(server, auth, caller, signal);
  if (required === undefined) return undefined;
  const { url, scopes, state } = await auth.begin(caller, required.challenge);
  return { url, scopes, finish: (answer) => auth.finish(caller, state, answer) };
}

/** Returns the server's challenge, if it rejects a list of its tools. */
async function findChallenge(
  server: McpHttpServer,
  auth: ServerAuth,
  caller: string | undefined,
  outer: AbortSignal | undefined,
): Promise<SignInRequired | undefined> {
  const { timeoutMs = defaultTimeoutMs } = server;
  const timeouts = timeoutMs === 0 ? [] : [AbortSignal.timeout(timeoutMs)];
  const signal = AbortSignal.any([...timeouts, ...(outer === undefined ? [] : [outer])]);
  try {
    const { connect } = await import("../transport/connect.ts");
    const connection = await connect(server, {
      timeoutMs: timeoutMs === 0 ? Infinity : timeoutMs,
      signal,
      capabilities: {},
      authorization: auth.authorizationFor(caller),
      onNotification: () => {},
      onRequest: ({ method }) => {
        throw new Error(`${method} is not supported`);
      },
    });
    try {
      await connection.request("tools/list", {}, { signal });
      return undefined;
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (error instanceof SignInRequired) return error;
    throw toConnectError(server.name, error);
  }
}
