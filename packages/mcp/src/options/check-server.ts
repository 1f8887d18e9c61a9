import { checkOptions, isToolName, ToolError } from "@toolweave/core";
import { askOptionNames, findAskOptionsFault } from "./check-ask-options.ts";
import { checkAuth } from "./check-auth.ts";
import { findSelectionFault } from "./check-selection.ts";
import { refuseSecretsOfEnv } from "./argument-secrets.ts";
import type { McpServer } from "./mcp-options.ts";

const common = [
  "name",
  "prefix",
  "trustAnnotations",
  "declaration",
  "timeoutMs",
  "connect",
  "cache",
  "whenUnavailable",
  "include",
  "exclude",
  "rename",
  "resources",
  "prompts",
  ...askOptionNames,
];

/** Refuses what cannot be meant. @throws ToolError `internal`. */
export function checkServer(server: McpServer): void {
  const given = typeof server === "object" && server !== null ? server : {};
  const ways = ["command", "url", "client"].filter((way) => Object.hasOwn(given, way));
  checkOptions("mcpSource", server, ["name", ...knownOptions(ways[0]), ...common.slice(1)]);
  if (ways.length !== 1) throw invalidOption("give one of command, url and client");
  const { name, prefix, declaration, timeoutMs } = server;
  if (typeof name !== "string" || name === "") throw invalidOption("give the server a name");
  if (prefix !== undefined && prefix !== false && !isToolName(prefix)) {
    throw invalidOption(
      `prefix "${prefix}" cannot begin a tool's name: use letters, digits, _ and -, with a letter or _ first`,
    );
  }
  if (declaration !== undefined && typeof declaration !== "string") {
    throw invalidOption("declaration takes a text");
  }
  const fault = findAskOptionsFault(server) ?? findSelectionFault(server);
  if (fault !== undefined) throw invalidOption(fault);
  checkOneOf("connect", server.connect, ["eager", "lazy"]);
  checkOneOf("whenUnavailable", server.whenUnavailable, ["keep", "drop"]);
  if (timeoutMs !== undefined && !(timeoutMs >= 0)) {
    throw invalidOption(`timeoutMs is ${timeoutMs}; use 0 or more`);
  }
  refuseSecretsOfEnv(server);
  if ("url" in server) {
    checkUrl(server.url);
    checkAuth(server);
  }
}

function checkOneOf(option: string, given: unknown, values: readonly string[]): void {
  if (given === undefined || values.includes(given as string)) return;
  throw invalidOption(`${option} takes ${values.map((value) => `"${value}"`).join(" or ")}`);
}

function knownOptions(way: string | undefined): readonly string[] {
  if (way === "url") return ["url", "headers", "auth", "allowOrigins"];
  return way === "client" ? ["client"] : ["command", "args", "env", "cwd", "url", "client"];
}

function checkUrl(given: string | URL): void {
  const url = URL.parse(String(given));
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  if (url !== null && isWeb && url.username === "" && url.password === "") return;
  throw invalidOption(
    'url takes an absolute URL without user name, such as "https://example.com/mcp"',
  );
}

function invalidOption(what: string): ToolError {
  return new ToolError("internal", `mcpSource: ${what}.`);
}
