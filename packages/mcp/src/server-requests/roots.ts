import { pathToFileURL } from "node:url";
import { ToolError, type JsonObject } from "@toolweave/core";
import type { Root } from "../options/ask-options.ts";
import { isFileUri, isFileUrl } from "../options/check-ask-options.ts";

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
