import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ToolError } from "@toolweave/core";
import { displayUrl } from "./display-url.ts";
import type { DocumentFiles } from "./document-files.ts";
import { ReadFault } from "./parse-document.ts";

/** The kind of an input. By default, `openDocument` detects it. */
export type SourceKind = "url" | "file" | "text" | "document";

/** A document that was read and not interpreted yet. */
export interface ReadDocument {
  readonly kind: SourceKind;
  readonly root: unknown;
  /** Its absolute URL; absent for a text or a value. */
  readonly url?: string;
  /** Its name in errors. */
  readonly name: string;
}

/**
 * Reads and parses a document from a URL, a file, a text or a value.
 *
 * @throws {ToolError} `unavailable`: it can't be read; `invalid_arguments`: it can't be parsed.
 */
export async function loadDocument(
  input: string | URL | object,
  kind: SourceKind,
  files: DocumentFiles,
): Promise<ReadDocument> {
  if (kind === "document") return { kind, root: input, name: "The document" };
  const source = String(input);
  if (kind === "text") {
    return {
      kind,
      root: parse("the document", () => files.parse(source)),
      name: "The document",
    };
  }
  if (kind === "url") return loadUrl(source, files);
  const url = toFileUrl(source);
  const path = fileURLToPath(url);
  return { kind, root: parse(path, () => files.read(path)), url: url.href, name: path };
}

function toFileUrl(source: string): URL {
  if (!/^file:/i.test(source)) return pathToFileURL(resolve(source));
  try {
    const url = new URL(source);
    fileURLToPath(url);
    return url;
  } catch (error) {
    const message = `Cannot read ${displayUrl(source)}: it is not the URL of a local file.`;
    throw new ToolError("invalid_arguments", message, { audience: "host", cause: error });
  }
}

/** Detects whether an input is a URL, a path, the text of a document, or a parsed document. */
export function detectSourceKind(input: string | URL | object): SourceKind {
  if (typeof input !== "string") {
    if (!(input instanceof URL)) return "document";
    return input.protocol === "file:" ? "file" : "url";
  }
  if (/^https?:\/\//i.test(input)) return "url";
  if (/^file:/i.test(input)) return "file";
  return /\n|^\s*\{/.test(input) ? "text" : "file";
}

async function loadUrl(source: string, files: DocumentFiles): Promise<ReadDocument> {
  const name = displayUrl(source);
  if (!files.canFetch) {
    throw new ToolError("internal", `Cannot load ${name}: there is no fetcher.`);
  }
  try {
    return { kind: "url", ...(await files.fetch(source)), name };
  } catch (error) {
    throw toReadError(name, error);
  }
}

function parse(name: string, read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    throw toReadError(name, error);
  }
}

function toReadError(name: string, error: unknown): unknown {
  if (!(error instanceof ReadFault)) return error;
  const unreadable = (error.cause as NodeJS.ErrnoException | undefined)?.code !== undefined;
  return new ToolError(
    unreadable ? "unavailable" : "invalid_arguments",
    `Cannot read ${name}: ${error.message}. ${unreadable ? "Check the address." : "It has to be an OpenAPI document in JSON or YAML."}`,
    { retryable: false, audience: "host", cause: error },
  );
}
