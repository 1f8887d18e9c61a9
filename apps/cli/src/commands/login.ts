import type { Server } from "node:http";
import type { McpServer } from "@toolweave/mcp";
import type { Command } from "commander";
import type { ToolOptions } from "../input/tool-options.ts";
import { rejectOnInterrupt, type CliIo } from "../process/cli-io.ts";
import { exitCode, exitCodesHelp, FileError, UsageError } from "../process/exit-code.ts";
import type { CommandContext, Output } from "../process/output.ts";
import { collect, withConfig } from "./shared/options.ts";

/** The options of `toolweave login`. */
type LoginOptions = Pick<ToolOptions, "config" | "mcp">;

const loginExamples = `
Examples:
  $ toolweave login linear --config toolweave.json
  $ toolweave login --mcp https://mcp.example.com/mcp

Tokens are in the store: see \`toolweave approvals --help\`. In a folder they are files that only this
user can read; in a database they are encrypted with $TOOLWEAVE_KEY.
`;

/** Registers `toolweave login`. */
export function addLogin(program: Command, { io, output, end }: CommandContext): void {
  withConfig(program.command("login"))
    .summary("sign in to an MCP server")
    .description(
      "Signs in to an MCP server with OAuth: prints the address to open, waits for the redirect of the browser, and stores the tokens for later commands.",
    )
    .argument("[source]", "the name of the server in the configuration")
    .option("--mcp <url>", "the URL of the server, instead of a name", collect)
    .addHelpText(
      "after",
      loginExamples +
        exitCodesHelp({
          1: "the sign-in failed",
          3: "the configuration in this folder is not trusted; nothing was started",
        }),
    )
    .action(async (source: string | undefined, options: LoginOptions) => {
      end(await login(source, options, io, output));
    });
}

/** The default of `signIn`. */
const defaultRedirect = "http://127.0.0.1:8976/callback";

/** `toolweave login`: a person signs in at an MCP server, and what they get is kept for later commands. */
async function login(
  source: string | undefined,
  options: LoginOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const server = await resolveServer(source, options, io);
  const { safeLine, safeValue } = await import("../render/text.ts");
  if (!("url" in server)) {
    const written = source ?? options.mcp?.[0] ?? server.name;
    throw new UsageError(
      `${safeValue(written)} is a program: only servers with a URL have a sign-in.`,
    );
  }
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
): Promise<McpServer> {
  const { defaultCredentials, defaultPlace, toDataPlace } = await import("../store/store-place.ts");
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
      credentials: () => defaultCredentials(io.env),
    };
    const { mcpServer } = await import("../sources/mcp-server.ts");
    return mcpServer(url, place);
  }
  const { resolveSources } = await import("../input/tool-options.ts");
  const { config, found } = resolveSources(options, "use --mcp or --config");
  if (source === undefined || config === undefined) {
    throw new UsageError("Name the server to sign in to, as the configuration does.");
  }
  if (found) {
    const { assertTrusted } = await import("../sources/config-trust.ts");
    await assertTrusted(config, {}, io);
  }
  const { serverOf } = await import("@toolweave/config");
  const store = toDataPlace(await defaultPlace(io.env));
  const server = await serverOf(config, source, { env: io.env, store }).catch(
    async (error: unknown) => {
      const { ToolError } = await import("@toolweave/core");
      if (!ToolError.is(error)) throw error;
      throw new FileError(error.message, { cause: error });
    },
  );
  if (server === undefined) {
    throw new UsageError(
      `There is no MCP server ${JSON.stringify(source.slice(0, 80))} in ${config}.`,
    );
  }
  return server;
}

/** Resolves with the address that the browser was redirected to: received here, or pasted. */
async function waitForRedirect(
  redirect: string,
  state: string | undefined,
  io: CliIo,
  output: Output,
): Promise<string> {
  const { canPrompt, withQuestions } = await import("../prompt/questions.ts");
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, io.signal]);
  const listener = await listenForRedirect(redirect, state, done.signal);
  try {
    if (listener === undefined && !canPrompt(io)) {
      const { safeValue } = await import("../render/text.ts");
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
  const { createServer } = await import("node:http");
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
