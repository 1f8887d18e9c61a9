import { ToolError } from "@toolweave/core";
import { checkOptions } from "@toolweave/core/adapter";
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

/** Minimum length of a token, in characters: a shorter one could be guessed. */
const minTokenLength = 16;

/**
 * Rejects invalid options, and a gateway that is open to other machines.
 *
 * @throws ToolError `internal`.
 */
export function checkHttpOptions(options: HttpOptions): void {
  checkOptions("listenHttp", options, known);
  const { host = "127.0.0.1", path = "/mcp", token, authenticate, publicUrl } = options;
  const { allowedOrigins = [], allowUnauthenticated = false } = options;
  if (token !== undefined && authenticate !== undefined)
    throw invalidOption("set either token or authenticate");
  if (token !== undefined && !(typeof token === "string" && token.length >= minTokenLength)) {
    throw invalidOption(
      `token must have at least ${minTokenLength} characters: openssl rand -base64 32`,
    );
  }
  const isOpen = token === undefined && authenticate === undefined;
  if (isOpen && !isLoopback(host) && !allowUnauthenticated) {
    throw invalidOption(
      `${host} can be reached from other machines, which could call every tool: set token or ` +
        `authenticate, or allowUnauthenticated: true if no other machine is in the network`,
    );
  }
  if (!path.startsWith("/") || /[?#\s]/.test(path))
    throw invalidOption(`path is "${path}"; use a path such as "/mcp"`);
  if (publicUrl !== undefined && !/^https?:$/.test(URL.parse(String(publicUrl))?.protocol ?? "")) {
    throw invalidOption('publicUrl takes an absolute URL, such as "https://tools.example.com/mcp"');
  }
  const invalid = allowedOrigins.find((origin) => URL.parse(origin)?.origin !== origin);
  if (invalid !== undefined) {
    throw invalidOption(
      `allowedOrigins takes origins such as "https://inspector.example.com", not "${invalid}"`,
    );
  }
  for (const name of ["maxBodyBytes", "maxConnections", "maxRequestsPerCaller"] as const) {
    const limit = options[name] ?? 1;
    if (!(limit >= 1)) throw invalidOption(`${name} is ${limit}; use 1 or more`);
  }
}

function invalidOption(fault: string): ToolError {
  return new ToolError("internal", `listenHttp: ${fault}.`);
}
