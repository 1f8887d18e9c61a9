import { basename } from "node:path";
import type { CredentialStore } from "@toolweave/core/stores";
import type { McpServer } from "@toolweave/mcp";
import { parseAuth } from "../input/auth-option.ts";
import { splitCommand } from "../input/split-command.ts";
import { UsageError } from "../process/exit-code.ts";

/** The options for the server of `--mcp` beside its command or URL. */
export interface McpServerContext {
  /** With one server alone its tools keep their names. */
  readonly isAlone: boolean;
  /** The working directory of a program. */
  readonly folder: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: readonly string[];
  readonly timeout: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The store of tokens. */
  readonly credentials: () => CredentialStore;
}

/**
 * The server of `--mcp`: a URL, or a command that starts it.
 *
 * @throws UsageError
 */
export function mcpServer(written: string, place: McpServerContext): McpServer {
  const { isAlone, folder, timeout } = place;
  const common = {
    ...(isAlone ? { prefix: false as const } : {}),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
  };
  if (/^https?:\/\//i.test(written)) {
    const url = URL.parse(written);
    if (url === null || url.username !== "" || url.password !== "") {
      throw new UsageError("--mcp must be a command, or an absolute URL without user name.");
    }
    const headers = toHeaders(place);
    const isSignedIn = Object.keys(headers).some((name) => /^authorization$/i.test(name));
    const auth = isSignedIn ? {} : { auth: { oauth: {}, store: place.credentials() } };
    return { name: url.host, ...common, url: written, headers, ...auth };
  }
  const [command, ...args] = splitCommand(written, "--mcp");
  return { name: serverName(command, args), ...common, command, args, cwd: folder };
}

function toHeaders({ headers, auth, env }: McpServerContext): Record<string, string> {
  const { bearer, basic, apiKey, schemes } = parseAuth(auth, env).auth;
  if (apiKey !== undefined || schemes !== undefined) {
    throw new UsageError("--auth of an MCP server is bearer:TOKEN or basic:USER:PASSWORD.");
  }
  if (typeof bearer === "string") return { ...headers, authorization: `Bearer ${bearer}` };
  if (basic === undefined) return { ...headers };
  const login = Buffer.from(`${basic.username}:${basic.password}`).toString("base64");
  return { ...headers, authorization: `Basic ${login}` };
}

const runners = /^(?:npx|node|deno|bunx?|uvx?|python3?)(?:\.exe|\.cmd)?$/i;

/** Returns the name of a server: its program, without the options, which may hold secrets. */
export function serverName(command: string, args: readonly string[]): string {
  const program = basename(command);
  if (!runners.test(program)) return program;
  const script = args.find((arg) => !arg.startsWith("-"));
  return script === undefined ? program : basename(script);
}
