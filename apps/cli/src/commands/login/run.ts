import { createServer, type Server } from "node:http";
import { dirname } from "node:path";
import { ToolError } from "@toolweave/core";
import type { McpHttpServer, McpServer } from "@toolweave/mcp";
import { resolveSources, type ToolOptions } from "../../input/tool-options.ts";
import { rejectOnInterrupt, type CliIo } from "../../process/cli-io.ts";
import { UsageError, exitCode } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { withQuestions, canPrompt } from "../../prompt/questions.ts";
import { safeLine, safeValue } from "../../render/text.ts";
import { assertTrusted } from "../../sources/config-trust.ts";
import { mcpServer } from "../../sources/mcp-server.ts";
import { storedCredentials, storePath } from "../../store/store-path.ts";

/** The options of `toolweave login`. */
export type LoginOptions = Pick<ToolOptions, "config" | "mcp">;

/** The default of `signIn`. */
const defaultRedirect = "http://127.0.0.1:8976/callback";

/** `toolweave login`: a person signs in at an MCP server, and what they get is kept for later commands. */
export async function login(
  source: string | undefined,
  options: LoginOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const server = await resolveServer(source, options, io);
  const { signIn } = await import("@toolweave/mcp");
  const signInRequest = await rejectOnInterrupt(signIn(server, { signal: io.signal }), io.signal);
  const name = safeValue(server.name);
  if (signInRequest === undefined) {
    await output.write(`${name} needs no sign-in, or is signed in already.\n`);
    return exitCode.completed;
  }
  const scopes =
    signInRequest.scopes.length === 0 ? "" : ` (${signInRequest.scopes.map(safeLine).join(", ")})`;
  // Shown and never opened: the server has chosen it.
  output.printMessage(
    `toolweave: Sign in to ${name}${scopes} at\n\n  ${safeValue(signInRequest.url)}\n`,
  );
  const redirect = server.auth?.oauth?.redirectUri ?? defaultRedirect;
  const state = URL.parse(signInRequest.url)?.searchParams.get("state") ?? undefined;
  const answer = await waitForRedirect(redirect, state, io, output);
  await signInRequest.finish(answer);
  await output.write(`Signed in to ${name}.\n`);
  return exitCode.completed;
}

async function resolveServer(
  source: string | undefined,
  options: LoginOptions,
  io: CliIo,
): Promise<McpHttpServer> {
  const [url, ...others] = options.mcp ?? [];
  if (url !== undefined) {
    if (source !== undefined || others.length > 0) {
      throw new UsageError("Name one server of a configuration, or use one --mcp with a URL.");
    }
    const place = {
      isAlone: true,
      folder: "",
      headers: {},
      auth: [],
      timeout: undefined,
      env: io.env,
      credentials: () => storedCredentials(io.env),
    };
    return assertHttpServer(mcpServer(url, place), url);
  }
  const { config, found } = resolveSources({ ...options, mcp: [] });
  if (source === undefined || config === undefined) {
    throw new UsageError("Name the server to sign in to, as the configuration does.");
  }
  if (found) await assertTrusted(config, {}, io);
  const { serverOf } = await import("@toolweave/config");
  const folder = dirname(storePath(undefined, io.env));
  const server = await serverOf(config, source, { env: io.env, store: folder }).catch(
    (error: unknown) => {
      if (!ToolError.is(error)) throw error;
      throw new UsageError(error.message, { cause: error });
    },
  );
  if (server === undefined) {
    throw new UsageError(
      `There is no MCP server ${JSON.stringify(source.slice(0, 80))} in ${config}.`,
    );
  }
  return assertHttpServer(server, source);
}

function assertHttpServer(server: McpServer, name: string): McpHttpServer {
  if ("url" in server) return server;
  throw new UsageError(`${safeValue(name)} is a program: only servers with a URL have a sign-in.`);
}

/** Resolves with the address that the browser was redirected to: received here, or pasted. */
async function waitForRedirect(
  redirect: string,
  state: string | undefined,
  io: CliIo,
  output: Output,
): Promise<string> {
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, io.signal]);
  const listener = await listenForRedirect(redirect, state, done.signal);
  try {
    if (listener === undefined && !canPrompt(io)) {
      throw new UsageError(
        `Nothing can listen at ${safeValue(redirect)}, and there is no terminal: run the command in a terminal.`,
      );
    }
    const pasted = canPrompt(io)
      ? withQuestions({ ...io, signal }, (question) =>
          question("Then return here, or paste the complete address of the redirect: "),
        )
      : new Promise<undefined>(() => {});
    if (!canPrompt(io)) output.printMessage("toolweave: Waiting for the redirect of the browser …");
    const answer = await rejectOnInterrupt(
      Promise.race([pasted, ...(listener === undefined ? [] : [listener.led])]),
      io.signal,
    );
    if (answer === undefined || answer.trim() === "")
      throw new UsageError("The sign-in was not completed.");
    return answer.trim();
  } finally {
    done.abort();
  }
}

/**
 * Resolves with the first address of this sign-in that the browser is led to; undefined: nothing can listen there. Any
 * page in the browser can send a request here: one without the `state` of this sign-in does not end it (RFC 6749, section
 * 10.12).
 */
async function listenForRedirect(
  redirect: string,
  state: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly led: Promise<string> } | undefined> {
  const url = URL.parse(redirect);
  const isLoopback =
    url?.protocol === "http:" && /^(?:127\.0\.0\.1|localhost|\[::1\])$/.test(url.hostname);
  if (url === null || !isLoopback) return undefined;
  let server: Server | undefined;
  const redirected = new Promise<string>((resolve) => {
    server = createServer((request, response) => {
      const at = URL.parse(request.url ?? "", url.origin);
      const isRedirect =
        at?.pathname === url.pathname &&
        (at.searchParams.has("code") || at.searchParams.has("error")) &&
        (state === undefined || isOnly(at.searchParams.getAll("state"), state));
      response.writeHead(isRedirect ? 200 : 404, {
        "content-type": "text/plain",
        connection: "close",
      });
      response.end(
        isRedirect ? "You can close this page and return to the terminal.\n" : "Not here.\n",
      );
      if (isRedirect) resolve(at.href);
    });
  });
  const started = await new Promise<boolean>((resolve) => {
    server?.once("error", () => resolve(false));
    server?.listen(Number(url.port || 80), url.hostname.replace(/[[\]]/g, ""), () => resolve(true));
  });
  if (!started) return undefined;
  signal.addEventListener("abort", () => server?.close(), { once: true });
  return { led: redirected };
}

function isOnly(values: readonly string[], expected: string): boolean {
  return values.length === 1 && values[0] === expected;
}
