import { checkOptions, ToolError } from "@toolweave/core";
import { isLoopback } from "./origin-guard.ts";
import type { HttpOptions } from "./http-options.ts";

const known: readonly string[] = [
  "host",
  "port",
  "path",
  "publicUrl",
  "allowedHosts",
  "allowedOrigins",
  "token",
  "authenticate",
  "protectedResource",
  "allowUnauthenticated",
  "maxBodyBytes",
  "maxConnections",
  "maxRequestsPerCaller",
] satisfies readonly (keyof HttpOptions)[];

/** What can be guessed in a night is no token. */
const shortestToken = 16;

/** Refuses what cannot be meant, and a gateway that everybody could use. @throws ToolError `internal`. */
export function checkHttpOptions(options: HttpOptions): void {
  checkOptions("listenHttp", options, known);
  const { host = "127.0.0.1", path = "/mcp", token, authenticate, publicUrl } = options;
  const { allowedOrigins = [], allowUnauthenticated = false } = options;
  if (token !== undefined && authenticate !== undefined) throw misuse("give token or authenticate");
  if (token !== undefined && !(typeof token === "string" && token.length >= shortestToken)) {
    throw misuse(`token needs ${shortestToken} characters at least: openssl rand -base64 32`);
  }
  const isOpen = token === undefined && authenticate === undefined;
  if (isOpen && !isLoopback(host) && !allowUnauthenticated) {
    throw misuse(
      `${host} can be reached from other machines, and whoever reaches it could call every tool: give token or ` +
        `authenticate, or write allowUnauthenticated: true where nobody else is in the network`,
    );
  }
  if (!path.startsWith("/") || /[?#\s]/.test(path))
    throw misuse(`path is "${path}", not like "/mcp"`);
  if (publicUrl !== undefined && !/^https?:$/.test(URL.parse(String(publicUrl))?.protocol ?? "")) {
    throw misuse('publicUrl takes an absolute URL, such as "https://tools.example.com/mcp"');
  }
  const odd = allowedOrigins.find((origin) => URL.parse(origin)?.origin !== origin);
  if (odd !== undefined) {
    throw misuse(
      `allowedOrigins takes origins such as "https://inspector.example.com", not "${odd}"`,
    );
  }
  for (const name of ["maxBodyBytes", "maxConnections", "maxRequestsPerCaller"] as const) {
    const limit = options[name] ?? 1;
    if (!(limit >= 1)) throw misuse(`${name} is ${limit}; use 1 or more`);
  }
}

function misuse(what: string): ToolError {
  return new ToolError("internal", `listenHttp: ${what}.`);
}
