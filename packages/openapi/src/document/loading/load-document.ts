import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ToolError } from "@toolweave/core";
import { displayUrl } from "./display-url.ts";
import type { DocumentFiles } from "./document-files.ts";
import { ReadFault } from "./read-fault.ts";

/** What a server says of the version of a document that it gave (RFC 9110 section 8.8). */
export interface Revision {
  readonly etag?: string;
  readonly lastModified?: string;
  /** Milliseconds for which nobody has to ask again. */
  readonly freshForMs?: number;
}

/** A document's text as it came over HTTP, and the URL where it was found after redirects. */
interface FetchedText {
  readonly text: string;
  readonly url: string;
  readonly mediaType?: string;
  /** Absent: the server named none. */
  readonly revision?: Revision;
}

/** It is still the version that was known. */
interface Unchanged {
  readonly unchanged: true;
  readonly revision?: Revision;
}

/**
 * Fetches a document. It guards every hop; what it throws becomes the reason of the failure.
 *
 * @param known the version that is there already: only what differs has to come.
 */
export type DocumentFetcher = (url: string, known?: Revision) => Promise<FetchedText | Unchanged>;

/** What an input stands for. Default of `openDocument`: told from its form. */
export type SourceKind = "url" | "file" | "text" | "document";

/** A document that was read, before anything in it was looked at. */
export interface ReadDocument {
  readonly kind: SourceKind;
  readonly root: unknown;
  /** Where it was found: absolute; absent for a text or a value. */
  readonly url?: string;
  /** What errors call it. */
  readonly name: string;
}

/**
 * Reads and parses a document from a URL, a file, a text or a value.
 *
 * @throws {ToolError} `unavailable`: it can't be had; `invalid_arguments`: it can't be parsed.
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
      root: parsed("the document", () => files.parse(source)),
      name: "The document",
    };
  }
  if (kind === "url") return loadUrl(source, files);
  const url = fileUrl(source);
  const path = fileURLToPath(url);
  return { kind, root: parsed(path, () => files.read(path)), url: url.href, name: path };
}

function fileUrl(source: string): URL {
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

/** Tells what an input is: a URL, a path, the text of a document, or a parsed document. */
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
    throw new ToolError("internal", `Cannot load ${name}: no way to fetch was given.`);
  }
  try {
    return { kind: "url", ...(await files.fetch(source)), name };
  } catch (error) {
    throw readError(name, error);
  }
}

function parsed(name: string, read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    throw readError(name, error);
  }
}

function readError(name: string, error: unknown): unknown {
  if (!(error instanceof ReadFault)) return error;
  const unreadable = (error.cause as NodeJS.ErrnoException | undefined)?.code !== undefined;
  return new ToolError(
    unreadable ? "unavailable" : "invalid_arguments",
    `Cannot read ${name}: ${error.message}. ${unreadable ? "Check the address." : "It has to be an OpenAPI document in JSON or YAML."}`,
    { retryable: false, audience: "host", cause: error },
  );
}
