import { checkOptions, isToolName, ToolError } from "@toolweave/core";
import type { SourceKind } from "./document/load-document.ts";
import { checkAuth } from "./auth/check-auth.ts";
import type { PageCollection } from "./exchange/collect-pages.ts";
import { checkOperationOptions } from "./check-operation-options.ts";
import type { OpenApiOptions } from "./openapi-options.ts";
import { isWebUrl } from "./request/servers.ts";

const optionNames: readonly string[] = [
  "id",
  "baseUrl",
  "headers",
  "auth",
  "allowOrigins",
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
export function checkedOptions(options: OpenApiOptions, kind: SourceKind): URL | undefined {
  checkOptions("openApiSource", options, optionNames);
  // What has no address and no name of its own is called like every other such document.
  const hasId = options.id !== undefined || kind === "url" || kind === "file";
  if (options.auth !== undefined) checkAuth(options.auth, hasId);
  const { baseUrl, prefix, timeoutMs, descriptions, allowOrigins = [] } = options;
  if (prefix !== undefined && !isToolName(prefix)) {
    throw misuse(
      `prefix "${prefix}" cannot begin a tool's name: use letters, digits, _ and -, with a letter or _ first`,
    );
  }
  if (timeoutMs !== undefined && !(timeoutMs >= 0))
    throw misuse(`timeoutMs is ${timeoutMs}; use 0 or more`);
  if (descriptions !== undefined && descriptions !== "short" && descriptions !== "full") {
    throw misuse(`descriptions is ${JSON.stringify(descriptions)}; use "short" or "full"`);
  }
  checkOperationOptions(options);
  for (const origin of allowOrigins) originOf(origin);
  checkWatch(options.watch, kind);
  checkPages(options.collectPages);
  if (baseUrl === undefined) return undefined;
  const url = URL.parse(String(baseUrl));
  if (url !== null && isWebUrl(url) && url.username === "" && url.password === "") return url;
  throw misuse(
    'baseUrl takes an absolute URL without user name, such as "https://api.example.com/v1"',
  );
}

function checkWatch(watch: boolean | number | undefined, kind: SourceKind): void {
  if (watch === undefined || watch === false) return;
  if (kind !== "url" && kind !== "file") {
    throw misuse("watch needs a document with an address: a URL or a file");
  }
  if (watch !== true && !(watch > 0)) {
    throw misuse(`watch is ${watch}; use true, or milliseconds above 0`);
  }
}

function checkPages(collect: PageCollection | undefined): void {
  if (collect === undefined) return;
  checkOptions("openApiSource collectPages", collect, ["maxPages", "maxItems"]);
  const { maxPages, maxItems = Infinity } = collect;
  if (!Number.isInteger(maxPages) || maxPages < 1) {
    throw misuse(`collectPages.maxPages is ${maxPages}; use a whole number above 0`);
  }
  if (!(maxItems > 0)) throw misuse(`collectPages.maxItems is ${maxItems}; use a number above 0`);
}

/** The origin that an entry of `allowOrigins` names. */
export function originOf(origin: string): string {
  const url = URL.parse(origin);
  if (url !== null && isWebUrl(url)) return url.origin;
  throw misuse(
    'allowOrigins takes origins such as "https://api.example.com:8443"; one entry is not an origin',
  );
}

function misuse(what: string): ToolError {
  return new ToolError("internal", `openApiSource: ${what}.`);
}
