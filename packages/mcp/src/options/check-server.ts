import { ToolError } from "@toolweave/core";
import { isObject, checkOptions, isToolName } from "@toolweave/core/adapter";
import { rejectSecretsOfEnv } from "./server-secrets.ts";
import type { McpServer, ToolSelection, McpHttpServer } from "./mcp-options.ts";
import type { ServerRequestOptions } from "./server-request-options.ts";
import type { CredentialStore } from "@toolweave/core/stores";
import type { McpAuth, McpOAuth, McpPrivateKey } from "./auth-options.ts";

const handlers = ["onElicitation", "onSampling", "onLog"] as const;

/** Names of the options. */
const serverRequestOptionNames: readonly (keyof ServerRequestOptions)[] = [
  ...handlers,
  "samplingTools",
  "roots",
];

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
  ...serverRequestOptionNames,
];

/**
 * Rejects invalid options.
 *
 * @throws ToolError `invalid_configuration`.
 */
export function checkServer(server: McpServer): void {
  const given = typeof server === "object" && server !== null ? server : {};
  const ways = ["command", "url", "client"].filter((way) => Object.hasOwn(given, way));
  checkOptions("mcpSource", server, ["name", ...knownOptions(ways[0]), ...common.slice(1)]);
  if (ways.length !== 1) throw invalidOption("give one of command, url and client");
  const { name, prefix, declaration, timeoutMs } = server;
  if (typeof name !== "string" || name === "") throw invalidOption("give the server a name");
  if (prefix !== undefined && prefix !== false && !isToolName(prefix)) {
    throw invalidOption(
      `prefix "${prefix}" is not valid at the beginning of a tool name: use letters, digits, _ and -, with a letter or _ first`,
    );
  }
  if (declaration !== undefined && typeof declaration !== "string") {
    throw invalidOption("declaration takes a string");
  }
  const fault = findServerRequestOptionsFault(server) ?? findSelectionFault(server);
  if (fault !== undefined) throw invalidOption(fault);
  checkOneOf("connect", server.connect, ["eager", "lazy"]);
  checkOneOf("whenUnavailable", server.whenUnavailable, ["keep", "drop"]);
  if (timeoutMs !== undefined && !(timeoutMs >= 0)) {
    throw invalidOption(`timeoutMs is ${timeoutMs}; use 0 or more`);
  }
  rejectSecretsOfEnv(server);
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

function invalidOption(fault: string): ToolError {
  return new ToolError("invalid_configuration", `mcpSource: ${fault}.`);
}

/** Finds an invalid option among those that select the tools of a server; `undefined`: all are valid. */
function findSelectionFault({
  include,
  exclude,
  rename = {},
  resources,
  prompts,
}: ToolSelection): string | undefined {
  for (const [option, globs] of Object.entries({ include, exclude })) {
    if (globs !== undefined && !isNames(globs)) {
      return `${option} takes a list of names and globs: ["read_*"]`;
    }
  }
  for (const [option, value] of Object.entries({ resources, prompts })) {
    if (value !== undefined && typeof value !== "boolean") return `${option} takes true or false`;
  }
  if (!isObject(rename)) return 'rename takes an object: { "get-sum": "add" }';
  const seen = new Set<unknown>();
  for (const [toolName, name] of Object.entries(rename)) {
    const where = `rename[${JSON.stringify(toolName)}]`;
    if (!isToolName(name)) {
      return `${where}: "${name}" is not a valid tool name: use letters, digits, _ and -, with a letter or _ first, 64 characters at most`;
    }
    if (seen.has(name)) return `${where}: another tool is renamed to ${name} too`;
    seen.add(name);
  }
  return undefined;
}

function isNames(globs: unknown): boolean {
  return Array.isArray(globs) && globs.every((glob) => typeof glob === "string");
}

/** Finds an invalid option; `undefined`: all are valid. */
function findServerRequestOptionsFault(options: ServerRequestOptions): string | undefined {
  for (const name of handlers) {
    const handler = options[name];
    if (handler !== undefined && typeof handler !== "function") return `${name} takes a function`;
  }
  const { roots, samplingTools } = options;
  if (samplingTools !== undefined && typeof samplingTools !== "boolean") {
    return "samplingTools takes true or false";
  }
  if (roots === undefined || typeof roots === "function") return undefined;
  const isValid = Array.isArray(roots) && roots.every((root) => isFileUri(root?.uri));
  return isValid
    ? undefined
    : 'roots takes a list of { uri }, each a path or a "file:" URL, or a function that gives one';
}

/** True for a path and for a `file:` URL; a path in Windows has one letter before its colon. */
export function isFileUri(uri: unknown): uri is string {
  return (
    typeof uri === "string" && uri !== "" && (isFileUrl(uri) || !/^[a-z][a-z0-9+.-]+:/i.test(uri))
  );
}

/** True for a `file:` URL. */
export function isFileUrl(uri: string): boolean {
  return /^file:\/\//i.test(uri) && URL.canParse(uri);
}

const authNames: readonly string[] = [
  "bearer",
  "oauth",
  "store",
] satisfies readonly (keyof McpAuth)[];

const oauthNames: readonly string[] = [
  "clientId",
  "clientSecret",
  "privateKey",
  "clientMetadataUrl",
  "issuer",
  "flow",
  "redirectUri",
  "scopes",
] satisfies readonly (keyof McpOAuth)[];

const keyNames: readonly string[] = ["key", "algorithm"] satisfies readonly (keyof McpPrivateKey)[];

const storeMethods = ["get", "set", "delete"] as const satisfies readonly (keyof CredentialStore)[];

/**
 * Validates the credentials of a server over HTTP. Error messages do not contain their values.
 *
 * @throws ToolError `invalid_configuration` when an option is invalid.
 */
function checkAuth({ auth, headers = {}, allowOrigins = [] }: McpHttpServer): void {
  const isList = Array.isArray(allowOrigins) && allowOrigins.every(isOrigin);
  if (!isList) {
    throw invalidOption(
      'allowOrigins takes a list of origins such as "https://auth.example.com:8443"',
    );
  }
  if (auth === undefined) return;
  checkOptions("mcpSource auth", auth, authNames);
  const { bearer, oauth, store } = auth;
  if (bearer !== undefined && typeof bearer !== "function" && !isText(bearer)) {
    throw invalidOption("auth.bearer takes a string, or a function that returns one");
  }
  const hasHeader = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  if (hasHeader && (bearer !== undefined || oauth !== undefined)) {
    throw invalidOption(
      "give either auth or the header authorization: only one of them can be sent",
    );
  }
  if (store !== undefined && !storeMethods.every((name) => typeof store[name] === "function")) {
    throw invalidOption("auth.store takes a CredentialStore: get, set and delete");
  }
  if (oauth !== undefined) checkOAuth(oauth);
}

function checkOAuth(oauth: McpOAuth): void {
  checkOptions("mcpSource auth.oauth", oauth, oauthNames);
  const { clientId, clientSecret, privateKey, clientMetadataUrl, issuer, flow, scopes } = oauth;
  const texts = { clientId, clientSecret, issuer };
  for (const [name, value] of Object.entries(texts)) {
    if (value !== undefined && !isText(value))
      throw invalidOption(`auth.oauth.${name} is not a non-empty string`);
  }
  if (privateKey !== undefined) {
    checkOptions("mcpSource auth.oauth.privateKey", privateKey, keyNames);
    if (!isText(privateKey.key) || !/^(?:ES|RS|PS)\d{3}$/.test(privateKey.algorithm)) {
      throw invalidOption(
        "auth.oauth.privateKey takes { key, algorithm }: a key in PEM, and an algorithm such as ES256",
      );
    }
  }
  const hasProof = clientSecret !== undefined || privateKey !== undefined;
  if (hasProof && clientId === undefined && clientMetadataUrl === undefined) {
    throw invalidOption("auth.oauth has a secret, but no clientId that it belongs to");
  }
  if (hasProof && issuer === undefined) {
    throw invalidOption(
      "auth.oauth.issuer is missing: set the authorization server that the secret belongs to; otherwise the MCP server could name one of its own and receive it",
    );
  }
  if (issuer !== undefined && !isWeb(issuer))
    throw invalidOption("auth.oauth.issuer takes an https URL");
  const document = URL.parse(clientMetadataUrl ?? "");
  if (
    clientMetadataUrl !== undefined &&
    !(document?.protocol === "https:" && document.pathname !== "/")
  ) {
    throw invalidOption("auth.oauth.clientMetadataUrl takes an https URL with a path");
  }
  if (flow !== undefined && flow !== "authorizationCode" && flow !== "clientCredentials") {
    throw invalidOption("auth.oauth.flow is authorizationCode or clientCredentials");
  }
  if (flow === "clientCredentials" && !hasProof) {
    throw invalidOption(
      "auth.oauth.flow clientCredentials needs a clientId with a clientSecret or a privateKey",
    );
  }
  if (oauth.redirectUri !== undefined && URL.parse(oauth.redirectUri) === null) {
    throw invalidOption("auth.oauth.redirectUri takes an absolute URL");
  }
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every(isText))) {
    throw invalidOption('auth.oauth.scopes takes a list: ["read"]');
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isWeb(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}

function isOrigin(text: unknown): boolean {
  const url = typeof text === "string" ? URL.parse(text) : null;
  return url !== null && isWeb(url.href) && url.href === `${url.origin}/`;
}
