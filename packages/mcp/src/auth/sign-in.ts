import { SecretSet } from "@toolweave/core";
import { checkServer } from "../options/check-server.ts";
import type { McpHttpServer } from "../options/mcp-options.ts";
import { toConnectError } from "../transport/call-error.ts";
import { ServerAuth } from "./server-auth.ts";
import { SignInRequired } from "./sign-in-required.ts";

const defaultTimeoutMs = 60_000;

/** A sign-in that a person can go through. */
export interface SignIn {
  /** Where the person signs in. Show it, and open it with no shell: the server has chosen it. */
  readonly url: string;
  /** What is asked for. May be empty. */
  readonly scopes: readonly string[];
  /**
   * Keeps what the person has signed in for.
   *
   * @param answer the whole URL to which the person was led back, or the bare code where the server only showed one.
   * @throws ToolError `auth_required` when it belongs to another sign-in, or the server or the person said no.
   */
  finish(answer: string): Promise<void>;
}

/** How a sign-in is begun. */
export interface SignInOptions {
  /** Whose it is, by id. Default: the host's own, which lists of tools are asked for with. */
  readonly caller?: string;
  readonly signal?: AbortSignal;
}

/**
 * Lets a person sign in at a server before anything is called: what `toolweave login` does. Asks the server for its
 * tools with what `auth.store` has; when it refuses that, a sign-in begins. What the person signs in for is kept in
 * `auth.store`, where a source of the same `name` and `url` finds it: give one that lasts.
 *
 * @returns nothing when the server is content with what it gets.
 * @throws ToolError what connecting to the server, or the authorization server's description, ends with: `internal` for
 * options that cannot be meant, `permission_denied` with the line to write when the authorization server is on a private
 * address, `auth_required` when it takes no client that is not known to it.
 * @example
 * ```ts
 * const server = { name: "museum", url: "https://museum.example/mcp", auth: { oauth: {}, store } };
 * const begun = await signIn(server);
 * if (begun !== undefined) {
 *   console.log(`Sign in at ${begun.url}`);
 *   await begun.finish(await pastedAddress());
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
  const required = await refusalOf(server, auth, caller, signal);
  if (required === undefined) return undefined;
  const { url, scopes, state } = await auth.begin(caller, required.challenge);
  return { url, scopes, finish: (answer) => auth.finish(caller, state, answer) };
}

/** What the server wants before it lists its tools. */
async function refusalOf(
  server: McpHttpServer,
  auth: ServerAuth,
  caller: string | undefined,
  outer: AbortSignal | undefined,
): Promise<SignInRequired | undefined> {
  const { timeoutMs = defaultTimeoutMs } = server;
  const late = timeoutMs === 0 ? [] : [AbortSignal.timeout(timeoutMs)];
  const signal = AbortSignal.any([...late, ...(outer === undefined ? [] : [outer])]);
  try {
    const { connect } = await import("../transport/connect.ts");
    const connection = await connect(server, {
      timeoutMs: timeoutMs === 0 ? Infinity : timeoutMs,
      signal,
      capabilities: {},
      authorization: auth.authorizationFor(caller),
      onNotification: () => {},
      onRequest: ({ method }) => {
        throw new Error(`${method} is not supported here`);
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
