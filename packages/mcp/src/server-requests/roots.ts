import { pathToFileURL } from "node:url";
import { ToolError, type JsonObject } from "@toolweave/core";

/**
 * A folder that a server may work in. A hint: what holds a server to it is the system that it runs on.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/roots
 */
export interface Root {
  /** A path, or a `file:` URL. */
  readonly uri: string;
  /** For people. */
  readonly name?: string;
}

/** True for a path, and for a URL of a file; a path in Windows has one letter before its colon. */
export function isFileUri(uri: unknown): uri is string {
  return (
    typeof uri === "string" && uri !== "" && (isFileUrl(uri) || !/^[a-z][a-z0-9+.-]+:/i.test(uri))
  );
}

function isFileUrl(uri: string): boolean {
  return /^file:\/\//i.test(uri) && URL.canParse(uri);
}

/**
 * The answer to `roots/list`.
 *
 * @throws ToolError `internal` for what is neither a path nor a URL of a file.
 */
export function rootsResult(roots: readonly Root[]): JsonObject {
  const odd = roots.find(({ uri }) => !isFileUri(uri));
  if (odd !== undefined) {
    throw new ToolError("internal", `roots gave "${odd.uri}": give paths, or "file:" URLs.`);
  }
  return {
    roots: roots.map(({ uri, name }) => ({
      uri: isFileUrl(uri) ? uri : pathToFileURL(uri).href,
      ...(name === undefined ? {} : { name }),
    })),
  };
}
