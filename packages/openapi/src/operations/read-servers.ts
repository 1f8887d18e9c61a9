import { visibleText } from "@toolweave/core/adapter";
import type { DocumentContext } from "./document-context.ts";
import type { OperationReading } from "./operation-reading.ts";
import { itemValue, type FoundOperation } from "./read-operations.ts";
import { isRecord, ownString, ownValue } from "../document/record.ts";

/**
 * Returns the servers of an operation: its own, else those of its path item, else the document's. Empty if the document
 * has none.
 */
export function readServers(reading: OperationReading): readonly string[] {
  const { context } = reading;
  if (context.version === "2.0") {
    const own = ownValue(reading.found.location.value, "schemes");
    return own !== undefined && [own].flat().length > 0
      ? swaggerServers(context, own)
      : documentServers(context);
  }
  const own = toServerUrls(ownValue(reading.found.location.value, "servers"), context);
  if (own.length > 0) return own;
  const shared = toServerUrls(itemValue(reading.found, "servers"), context);
  return shared.length > 0 ? shared : documentServers(context);
}

/** Returns the servers of the document itself. */
export function documentServers(context: DocumentContext): readonly string[] {
  const { root } = context;
  context.servers ??=
    context.version === "2.0"
      ? swaggerServers(context, ownValue(root.root, "schemes"))
      : toServerUrls(ownValue(root.root, "servers"), context);
  return context.servers;
}

/** Returns true if an operation, or its path item, has its own servers. */
export function hasOwnServers(found: FoundOperation): boolean {
  const own: unknown = ownValue(found.location.value, "servers");
  const servers: unknown = Array.isArray(own) && own.length > 0 ? own : itemValue(found, "servers");
  return Array.isArray(servers) && servers.some((server) => ownString(server, "url") !== undefined);
}

/** Reports values of the host for variables that no server of the document has. */
export function reportUnknownVariables(
  context: DocumentContext,
  operations: readonly FoundOperation[],
): void {
  const unknown = new Set(Object.keys(context.serverVariables));
  if (unknown.size === 0) return;
  const lists: unknown[] = [ownValue(context.root.root, "servers")];
  for (const found of operations) {
    lists.push(ownValue(found.location.value, "servers"), itemValue(found, "servers"));
  }
  for (const list of lists) {
    for (const server of Array.isArray(list) ? (list as readonly unknown[]) : []) {
      for (const [, name = ""] of (ownString(server, "url") ?? "").matchAll(variable)) {
        unknown.delete(name);
      }
    }
  }
  for (const name of unknown) {
    context.report({
      subject: "servers",
      message: `serverVariables has a value for ${JSON.stringify(name)}, which is not a variable of the document's servers.`,
      severity: "warning",
    });
  }
}

const variable = /\{([^{}]+)\}/g;

function toServerUrls(servers: unknown, context: DocumentContext): readonly string[] {
  if (!Array.isArray(servers)) return none;
  return servers.map((server) => toServerUrl(server, context)).filter((url) => url !== undefined);
}

const none: readonly string[] = [];

function toServerUrl(server: unknown, context: DocumentContext): string | undefined {
  const url = ownString(server, "url");
  if (url === undefined || !url.includes("{")) return url;
  const variables = ownValue(server, "variables");
  const { serverVariables } = context;
  const filled = url.replace(variable, (template, name: string) => {
    const declared = ownValue(variables, name);
    const values = ownValue(declared, "enum");
    if (Object.hasOwn(serverVariables, name)) {
      const own = serverVariables[name] as string;
      if (Array.isArray(values) && !values.map(String).includes(own)) {
        warnOfValue(name, own, values, context);
      }
      return own;
    }
    const value = ownValue(declared, "default") ?? (Array.isArray(values) ? values[0] : undefined);
    return value === undefined || isRecord(value) ? template : String(value);
  });
  context.serverTemplates.set(filled, url);
  return filled;
}

function warnOfValue(
  name: string,
  value: string,
  values: readonly unknown[],
  context: DocumentContext,
): void {
  const known = values
    .slice(0, 10)
    .map((one) => JSON.stringify(one))
    .join(", ");
  context.report({
    subject: "servers",
    message: `serverVariables.${name} is ${JSON.stringify(value)}, which is not one of the document's values: ${known}. It is used nevertheless.`,
    severity: "warning",
  });
}

/**
 * Combines `schemes`, `host` and `basePath` (Swagger 2.0, "Swagger Object"), https first. A `host` or `basePath` that is
 * a URL, or a host with a path, is read as its author must have meant it, with a warning.
 */
function swaggerServers(context: DocumentContext, declared: unknown): readonly string[] {
  const { root, url } = context.root;
  const place = url?.startsWith("http") === true ? new URL(url) : undefined;
  const host = splitHost(ownString(root, "host"));
  const base = ownString(root, "basePath")?.trim() ?? "";
  const baseUrl = /^(?:[a-z][a-z0-9+.-]*:)?\/\//i.test(base) ? splitHost(base) : undefined;
  const basePath = toPath(baseUrl?.path ?? base);
  const authority = host?.authority ?? baseUrl?.authority ?? place?.host;
  // A path in `host` is either the base path, or precedes it.
  const path = host === undefined || host.path === basePath ? basePath : host.path + basePath;
  if (host?.isPlain === false) warnOfAddress("host", "a host with or without a port", context);
  if (baseUrl !== undefined) warnOfAddress("basePath", "a path", context);
  if (authority === undefined) return path === "" ? none : [path];
  const schemes: string[] = [declared]
    .flat()
    .map((scheme) => String(scheme).toLowerCase())
    .filter((scheme) => scheme === "http" || scheme === "https");
  if (schemes.length === 0) {
    schemes.push(host?.scheme ?? baseUrl?.scheme ?? place?.protocol.slice(0, -1) ?? "https");
  }
  return [...new Set(schemes)]
    .toSorted((a, b) => b.length - a.length)
    .map((scheme) => `${scheme}://${authority}${path}`);
}

interface Address {
  readonly scheme?: string;
  readonly authority: string;
  readonly path: string;
  /** It is only an authority, as the specification requires. */
  readonly isPlain: boolean;
}

function splitHost(written: string | undefined): Address | undefined {
  const [, scheme, authority = "", path = ""] =
    /^(?:([a-z][a-z0-9+.-]*):(?=\/\/))?\/*([^/?#]*)([^?#]*)/is.exec(written?.trim() ?? "") ?? [];
  if (authority === "") return undefined;
  return {
    ...(scheme === undefined ? {} : { scheme: scheme.toLowerCase() }),
    authority,
    path: toPath(path),
    isPlain: authority === written,
  };
}

/** Returns a path without a slash at its end. */
function toPath(written: string): string {
  const path = written.replace(/^\/+/, "").replace(/\/+$/, "");
  return path === "" ? "" : `/${path}`;
}

function warnOfAddress(field: string, kind: string, context: DocumentContext): void {
  const written = JSON.stringify(
    visibleText(ownString(context.root.root, field) ?? "")
      .replace(/\/\/[^/]*@/, "//")
      .slice(0, 100),
  );
  context.report({
    subject: "servers",
    message: `The document's \`${field}\` is ${written}, which is not ${kind} alone: it is read as part of the URL. Set \`baseUrl\` if that is wrong.`,
    pointer: `/${field}`,
    severity: "warning",
  });
}
