import type { DocumentContext } from "../document-context.ts";
import type { LoadedDocument } from "../references/location.ts";
import type { OperationReading } from "./operation-reading.ts";
import { itemValue } from "./read-operations.ts";
import { isRecord, ownString, ownValue } from "../record.ts";

/**
 * The servers of an operation: its own, else its path item's, else the document's. None when the
 * document names none.
 */
export function readServers(reading: OperationReading): readonly string[] {
  const { context } = reading;
  if (context.version === "2.0") {
    const own = ownValue(reading.found.location.value, "schemes");
    return Array.isArray(own) && own.length > 0
      ? swaggerServers(context.root, own)
      : documentServers(context);
  }
  const own = serverUrls(ownValue(reading.found.location.value, "servers"));
  if (own.length > 0) return own;
  const shared = serverUrls(itemValue(reading.found, "servers"));
  return shared.length > 0 ? shared : documentServers(context);
}

/** The servers that the document itself names. */
export function documentServers(context: DocumentContext): readonly string[] {
  const { root } = context;
  context.servers ??=
    context.version === "2.0"
      ? swaggerServers(root, ownValue(root.root, "schemes"))
      : serverUrls(ownValue(root.root, "servers"));
  return context.servers;
}

function serverUrls(servers: unknown): readonly string[] {
  if (!Array.isArray(servers)) return none;
  return servers.map(serverUrl).filter((url) => url !== undefined);
}

const none: readonly string[] = [];

function serverUrl(server: unknown): string | undefined {
  const url = ownString(server, "url");
  const variables = ownValue(server, "variables");
  return url?.replace(/\{([^{}]+)\}/g, (template, name: string) => {
    const variable = ownValue(variables, name);
    const values = ownValue(variable, "enum");
    const value = ownValue(variable, "default") ?? (Array.isArray(values) ? values[0] : undefined);
    return value === undefined || isRecord(value) ? template : String(value);
  });
}

/** `schemes`, `host` and `basePath` (Swagger 2.0, "Swagger Object"), https first. */
function swaggerServers({ root, url }: LoadedDocument, declared: unknown): readonly string[] {
  const basePath = ownString(root, "basePath");
  const path = basePath === undefined || basePath === "/" ? "" : `/${basePath.replace(/^\/+/, "")}`;
  const place = url?.startsWith("http") === true ? new URL(url) : undefined;
  const authority = ownString(root, "host") ?? place?.host;
  if (authority === undefined) return path === "" ? none : [path];
  const schemes = (Array.isArray(declared) ? declared : []).filter(
    (scheme) => scheme === "http" || scheme === "https",
  );
  if (schemes.length === 0) schemes.push(place?.protocol.slice(0, -1) ?? "https");
  return [...new Set(schemes)]
    .toSorted((a, b) => b.length - a.length)
    .map((scheme) => `${scheme}://${authority}${path}`);
}
