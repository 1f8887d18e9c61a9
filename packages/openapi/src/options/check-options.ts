import { checkOptions, isToolName } from "@toolweave/core";
import type { SourceKind } from "../document/loading/load-document.ts";
import { checkAuth } from "../auth/check-auth.ts";
import type { PageCollection } from "../exchange/follow-ups/collect-pages.ts";
import { checkOperationOptions } from "./check-operation-options.ts";
import type { OpenApiOptions } from "./openapi-options.ts";
import { isWebUrl } from "../request/servers.ts";
import { isJsonObject } from "../document/record.ts";
import { invalidOption } from "../settings/invalid-option.ts";

const optionNames: readonly string[] = [
  "id",
  "baseUrl",
  "servers",
  "serverVariables",
  "headers",
  "auth",
  "allowOrigins",
  "credentialOrigins",
  "allowReferences",
  "certificateAuthorities",
  "include",
  "exclude",
  "filter",
  "overrides",
  "descriptions",
  "prefix",
  "timeoutMs",
  "watch",
  "collectPages",
] satisfies readonly (keyof OpenApiOptions)[];

/**
 * Looks at what the host wrote.
 *
 * @returns the checked `baseUrl`.
 * @throws ToolError `internal` when an option cannot be meant.
 */
export function validateOptions(options: OpenApiOptions, kind: SourceKind): URL | undefined {
  checkOptions("openApiSource", options, optionNames);
  // What has no address and no name of its own is called like every other such document.
  const hasId = options.id !== undefined || kind === "url" || kind === "file";
  if (options.auth !== undefined) checkAuth(options.auth, hasId);
  checkKinds(options);
  const { baseUrl, prefix, timeoutMs, descriptions } = options;
  if (prefix !== undefined && !isToolName(prefix)) {
    throw invalidOption(
      `prefix "${prefix}" cannot begin a tool's name: use letters, digits, _ and -, with a letter or _ first`,
    );
  }
  if (timeoutMs !== undefined && !(timeoutMs >= 0))
    throw invalidOption(`timeoutMs is ${timeoutMs}; use 0 or more`);
  if (descriptions !== undefined && descriptions !== "short" && descriptions !== "full") {
    throw invalidOption(`descriptions is ${JSON.stringify(descriptions)}; use "short" or "full"`);
  }
  checkOperationOptions(options);
  for (const name of ["allowOrigins", "credentialOrigins"] as const) {
    for (const origin of options[name] ?? []) parseOrigin(origin, name);
  }
  checkServers(options);
  checkWatch(options.watch, kind);
  checkPages(options.collectPages);
  if (baseUrl === undefined) return undefined;
  return serverUrl("baseUrl", baseUrl);
}

function serverUrl(option: string, value: string | URL): URL {
  const url = URL.parse(String(value));
  if (url !== null && isWebUrl(url) && url.username === "" && url.password === "") return url;
  throw invalidOption(
    `${option} takes an absolute URL without user name, such as "https://api.example.com/v1"`,
  );
}

function checkServers({ servers = {}, serverVariables = {} }: OpenApiOptions): void {
  if (!isJsonObject(servers)) {
    throw invalidOption("servers takes an object: the servers to use by those of the document");
  }
  for (const [server, url] of Object.entries(servers)) {
    serverUrl(`servers[${JSON.stringify(server)}]`, url as string | URL);
  }
  if (!isJsonObject(serverVariables)) {
    throw invalidOption('serverVariables takes an object: { region: "eu" }');
  }
  for (const [name, value] of Object.entries(serverVariables)) {
    if (typeof value !== "string") throw invalidOption(`serverVariables.${name} takes a text`);
  }
}

/** What a host without types can get wrong in silence. No text has a value in it: it may be a secret. */
function checkKinds(options: OpenApiOptions): void {
  const { id, filter, headers = {}, certificateAuthorities } = options;
  if (id !== undefined && (typeof id !== "string" || id === ""))
    throw invalidOption("id takes a text");
  if (filter !== undefined && typeof filter !== "function") {
    throw invalidOption("filter takes a function: ({ method, path }) => true");
  }
  for (const name of ["allowOrigins", "credentialOrigins", "allowReferences"] as const) {
    const list: unknown = options[name];
    if (list === undefined) continue;
    if (!Array.isArray(list) || !list.every((one) => typeof one === "string")) {
      throw invalidOption(`${name} takes a list of texts: ["…"]`);
    }
  }
  if (certificateAuthorities !== undefined && typeof certificateAuthorities !== "string") {
    throw invalidOption("certificateAuthorities takes a text: certificates as PEM");
  }
  if (typeof headers !== "object" || headers === null || Array.isArray(headers)) {
    throw invalidOption('headers takes an object: { "x-tenant": "7" }');
  }
  for (const [name, value] of Object.entries<unknown>(headers)) {
    if (typeof value !== "string")
      throw invalidOption(`headers[${JSON.stringify(name)}] is no text`);
    if (bodyHeaders.has(name.toLowerCase())) {
      throw invalidOption(
        `headers cannot have ${name.toLowerCase()}, which each body has of its own: for the media type of one operation, use overrides with requestMediaType`,
      );
    }
  }
}

/** Headers that say what a body is: one for all requests would be untrue for most. */
const bodyHeaders: ReadonlySet<string> = new Set([
  "content-type",
  "content-encoding",
  "content-length",
  "transfer-encoding",
]);

function checkWatch(watch: boolean | number | undefined, kind: SourceKind): void {
  if (watch === undefined || watch === false) return;
  if (kind !== "url" && kind !== "file") {
    throw invalidOption("watch needs a document with an address: a URL or a file");
  }
  if (watch !== true && !(watch > 0)) {
    throw invalidOption(`watch is ${watch}; use true, or milliseconds above 0`);
  }
}

function checkPages(collect: PageCollection | undefined): void {
  if (collect === undefined) return;
  checkOptions("openApiSource collectPages", collect, ["maxPages", "maxItems"]);
  const { maxPages, maxItems = Infinity } = collect;
  if (!Number.isInteger(maxPages) || maxPages < 1) {
    throw invalidOption(`collectPages.maxPages is ${maxPages}; use a whole number above 0`);
  }
  if (!(maxItems > 0))
    throw invalidOption(`collectPages.maxItems is ${maxItems}; use a number above 0`);
}

/** The origin that an entry of `allowOrigins`, or of another list of origins, names. */
export function parseOrigin(origin: string, option = "allowOrigins"): string {
  const url = URL.parse(origin);
  if (url !== null && isWebUrl(url) && url.href === `${url.origin}/`) return url.origin;
  throw invalidOption(
    `${option} takes origins such as "https://api.example.com:8443"; one entry is not an origin`,
  );
}
