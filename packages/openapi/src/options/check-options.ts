import { checkOptions, checks, isToolName } from "@toolweave/core/adapter";
import type { SourceKind } from "../document/loading/load-document.ts";
import { checkAuth } from "../auth/check-auth.ts";
import type { PageCollection } from "../exchange/follow-ups/collect-pages.ts";
import type { OpenApiOptions } from "./openapi-options.ts";
import { isWebUrl } from "../request/servers.ts";
import { isJsonObject } from "../document/record.ts";
import {
  invalidOptionError,
  type OperationOverride,
  type OperationSelector,
} from "../settings/operation-options.ts";
import { isMediaType } from "../body/binary-content.ts";

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
 * Validates the options of the host.
 *
 * @returns the parsed `baseUrl`.
 * @throws ToolError `invalid_configuration` for an invalid option.
 */
export function validateOptions(options: OpenApiOptions, kind: SourceKind): URL | undefined {
  checkOptions("openApiSource", options, optionNames);
  // A document without an address has the same default id as every other such document.
  const hasId = options.id !== undefined || kind === "url" || kind === "file";
  if (options.auth !== undefined) checkAuth(options.auth, hasId);
  checkKinds(options);
  const { baseUrl, prefix, timeoutMs, descriptions } = options;
  if (prefix !== undefined && !isToolName(prefix)) {
    throw invalidOptionError(
      `prefix "${prefix}" cannot begin a tool's name: use letters, digits, _ and -, starting with a letter or _`,
    );
  }
  if (timeoutMs !== undefined) checks.atLeastZero.check("openApiSource: timeoutMs", timeoutMs);
  if (descriptions !== undefined && descriptions !== "short" && descriptions !== "full") {
    throw invalidOptionError(
      `descriptions is ${JSON.stringify(descriptions)}; use "short" or "full"`,
    );
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
  throw invalidOptionError(
    `${option} must be an absolute URL without user name, such as "https://api.example.com/v1"`,
  );
}

function checkServers({ servers = {}, serverVariables = {} }: OpenApiOptions): void {
  if (!isJsonObject(servers)) {
    throw invalidOptionError(
      "servers must be an object: replacement servers by the server URLs of the document",
    );
  }
  for (const [server, url] of Object.entries(servers)) {
    serverUrl(`servers[${JSON.stringify(server)}]`, url as string | URL);
  }
  if (!isJsonObject(serverVariables)) {
    throw invalidOptionError('serverVariables must be an object: { region: "eu" }');
  }
  for (const [name, value] of Object.entries(serverVariables)) {
    if (typeof value !== "string")
      throw invalidOptionError(`serverVariables.${name} must be a string`);
  }
}

/**
 * Checks the types of options, for hosts without TypeScript. Messages contain no values, because they may be secret.
 */
function checkKinds(options: OpenApiOptions): void {
  const { id, filter, headers = {}, certificateAuthorities } = options;
  if (id !== undefined && (typeof id !== "string" || id === ""))
    throw invalidOptionError("id must be a non-empty string");
  if (filter !== undefined && typeof filter !== "function") {
    throw invalidOptionError("filter must be a function: ({ method, path }) => true");
  }
  for (const name of ["allowOrigins", "credentialOrigins", "allowReferences"] as const) {
    const list: unknown = options[name];
    if (list === undefined) continue;
    if (!Array.isArray(list) || !list.every((one) => typeof one === "string")) {
      throw invalidOptionError(`${name} must be a list of strings: ["…"]`);
    }
  }
  if (certificateAuthorities !== undefined && typeof certificateAuthorities !== "string") {
    throw invalidOptionError("certificateAuthorities must be a string: certificates as PEM");
  }
  if (typeof headers !== "object" || headers === null || Array.isArray(headers)) {
    throw invalidOptionError('headers must be an object: { "x-tenant": "7" }');
  }
  for (const [name, value] of Object.entries<unknown>(headers)) {
    if (typeof value !== "string")
      throw invalidOptionError(`headers[${JSON.stringify(name)}] is not a string`);
    if (bodyHeaders.has(name.toLowerCase())) {
      throw invalidOptionError(
        `headers cannot have ${name.toLowerCase()}, which depends on the body: to set the media type of an operation, use overrides with requestMediaType`,
      );
    }
  }
}

/** Headers that describe a body: one value for all requests would be wrong for most. */
const bodyHeaders: ReadonlySet<string> = new Set([
  "content-type",
  "content-encoding",
  "content-length",
  "transfer-encoding",
]);

function checkWatch(watch: boolean | number | undefined, kind: SourceKind): void {
  if (watch === undefined || watch === false) return;
  if (kind !== "url" && kind !== "file") {
    throw invalidOptionError("watch requires a document from a URL or a file");
  }
  if (watch !== true && !(watch > 0)) {
    throw invalidOptionError(`watch is ${watch}; use true, or milliseconds above 0`);
  }
}

function checkPages(collect: PageCollection | undefined): void {
  if (collect === undefined) return;
  checkOptions("openApiSource collectPages", collect, ["maxPages", "maxItems"]);
  const { maxPages, maxItems = Infinity } = collect;
  if (!Number.isInteger(maxPages) || maxPages < 1) {
    throw invalidOptionError(`collectPages.maxPages is ${maxPages}; use a whole number above 0`);
  }
  if (!(maxItems > 0))
    throw invalidOptionError(`collectPages.maxItems is ${maxItems}; use a number above 0`);
}

/** Parses an entry of `allowOrigins`, or of another list of origins. */
export function parseOrigin(origin: string, option = "allowOrigins"): string {
  const url = URL.parse(origin);
  if (url !== null && isWebUrl(url) && url.href === `${url.origin}/`) return url.origin;
  throw invalidOptionError(
    `${option} must contain origins such as "https://api.example.com:8443"; one entry is not an origin`,
  );
}

const selectorNames: readonly string[] = [
  "tags",
  "paths",
  "methods",
  "operationIds",
  "extensions",
] satisfies readonly (keyof OperationSelector)[];

const overrideNames: readonly string[] = [
  "name",
  "title",
  "description",
  "annotations",
  "hidden",
  "fixed",
  "writable",
  "timeoutMs",
  "requestMediaType",
  "partName",
  "decodeBase64Body",
  "multiSegment",
  "delimiters",
  "idempotencyKey",
] satisfies readonly (keyof OperationOverride)[];

/**
 * Checks `include`, `exclude` and `overrides`.
 *
 * @throws ToolError `invalid_configuration` for an invalid option.
 */
function checkOperationOptions({ include, exclude, overrides = {} }: OpenApiOptions): void {
  checkSelectors("include", include);
  checkSelectors("exclude", exclude);
  if (!isJsonObject(overrides)) {
    throw invalidOptionError('overrides must be an object: { "GET /pets/{id}": { name, … } }');
  }
  const names = new Set<string>();
  for (const [key, override] of Object.entries(overrides)) {
    const where = `overrides[${JSON.stringify(key)}]`;
    checkOverride(where, override);
    const { name } = override;
    if (name === undefined) continue;
    if (names.has(name))
      throw invalidOptionError(`${where}: another operation has the name ${name} too`);
    names.add(name);
  }
}

function checkSelectors(option: string, selectors: unknown): void {
  if (selectors === undefined) return;
  if (!Array.isArray(selectors))
    throw invalidOptionError(`${option} must be a list: [{ tags: ["pets"] }]`);
  for (const [index, selector] of (selectors as readonly unknown[]).entries()) {
    const where = `${option}[${index}]`;
    checkOptions(`openApiSource ${where}`, selector, selectorNames);
    for (const [name, value] of Object.entries(selector as object)) {
      if (!isNames(value)) throw invalidOptionError(`${where}.${name} must be a list of strings`);
      const wrong = name === "extensions" ? value.find((one) => !one.startsWith("x-")) : undefined;
      if (wrong !== undefined)
        throw invalidOptionError(
          `${where}: "${wrong}" is not an extension: did you mean x-${wrong}?`,
        );
    }
  }
}

function checkOverride(where: string, override: OperationOverride): void {
  checkOptions(`openApiSource ${where}`, override, overrideNames);
  const { name, title, description, annotations, hidden, writable, fixed, timeoutMs } = override;
  if (name !== undefined && !isToolName(name)) {
    throw invalidOptionError(
      `${where}: "${name}" cannot be a tool's name: use letters, digits, _ and -, starting with a letter or _, at most 64`,
    );
  }
  for (const [member, text] of Object.entries({ title, description })) {
    if (text !== undefined && (typeof text !== "string" || text.trim() === "")) {
      throw invalidOptionError(`${where}.${member} must be a non-empty string`);
    }
  }
  if (annotations !== undefined && !isJsonObject(annotations)) {
    throw invalidOptionError(`${where}.annotations must be an object: { readOnlyHint: true }`);
  }
  if (hidden !== undefined && !isNames(hidden)) {
    throw invalidOptionError(`${where}.hidden must be a list of names`);
  }
  if (writable !== undefined && !isNames(writable)) {
    throw invalidOptionError(`${where}.writable must be a list of names`);
  }
  if (fixed !== undefined && !isJsonObject(fixed)) {
    throw invalidOptionError(`${where}.fixed must be an object: values by argument name`);
  }
  if (timeoutMs !== undefined)
    checks.atLeastZero.check(`openApiSource: ${where}.timeoutMs`, timeoutMs);
  checkRequest(where, override);
}

function checkRequest(where: string, override: OperationOverride): void {
  const { requestMediaType, partName, decodeBase64Body, idempotencyKey } = override;
  const { multiSegment, delimiters } = override;
  if (requestMediaType !== undefined && !isConcrete(requestMediaType)) {
    throw invalidOptionError(
      `${where}.requestMediaType must be a media type: "application/merge-patch+json"`,
    );
  }
  if (partName !== undefined && (typeof partName !== "string" || partName === "")) {
    throw invalidOptionError(`${where}.partName must be the name of a part: "attachment"`);
  }
  if (decodeBase64Body !== undefined && typeof decodeBase64Body !== "boolean") {
    throw invalidOptionError(`${where}.decodeBase64Body must be true or false`);
  }
  if (multiSegment !== undefined && !isNames(multiSegment)) {
    throw invalidOptionError(`${where}.multiSegment must be a list of names`);
  }
  if (delimiters !== undefined && !isDelimiters(delimiters)) {
    throw invalidOptionError(
      `${where}.delimiters must be an object, by argument: one of ",", ".", ";", "|", " " and "\\t"`,
    );
  }
  if (idempotencyKey !== undefined && idempotencyKey !== "executor" && idempotencyKey !== "model") {
    throw invalidOptionError(`${where}.idempotencyKey must be "executor" or "model"`);
  }
}

function isConcrete(mediaType: unknown): boolean {
  return typeof mediaType === "string" && !mediaType.includes("*") && isMediaType(mediaType);
}

function isDelimiters(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    Object.values(value).every((one) => typeof one === "string" && /^[,.;| \t]$/.test(one))
  );
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
