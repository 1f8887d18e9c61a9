import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ToolError } from "@toolweave/core";
import { displayUrl } from "./display-url.ts";
import { parseDocument } from "./parse-document.ts";
import { ReadFault } from "./read-fault.ts";

/** A document's text as it came over HTTP, and the URL where it was found after redirects. */
interface FetchedText {
  readonly text: string;
  readonly url: string;
  readonly mediaType?: string;
}

/** Fetches a document. It guards every hop; what it throws becomes the reason of the failure. */
export type DocumentFetcher = (url: string) => Promise<FetchedText>;

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
  fetch: DocumentFetcher | undefined,
): Promise<ReadDocument> {
  if (kind === "document") return { kind, root: input, name: "The document" };
  const source = String(input);
  if (kind === "text") {
    return {
      kind,
      root: parsed("the document", () => parseDocument(source)),
      name: "The document",
    };
  }
  if (kind === "url") return loadUrl(source, fetch);
  const url = fileUrl(source);
  const path = fileURLToPath(url);
  return { kind, root: parsed(path, () => readDocumentFile(path)), url: url.href, name: path };
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
export function sourceKindOf(input: string | URL | object): SourceKind {
  if (typeof input !== "string") {
    if (!(input instanceof URL)) return "document";
    return input.protocol === "file:" ? "file" : "url";
  }
  if (/^https?:\/\//i.test(input)) return "url";
  if (/^file:/i.test(input)) return "file";
  return /\n|^\s*\{/.test(input) ? "text" : "file";
}

/**
 * Reads and parses a file.
 *
 * @throws {ReadFault} it can't be read or parsed.
 */
export function readDocumentFile(path: string): unknown {
  let text: string;
  try {
    // A pipe or a device would block or never end.
    if (!statSync(path).isFile()) throw Object.assign(new Error(), { code: "EISDIR" });
    // Half the time of readFileSync(path, "utf8"), which reads a big file in small pieces.
    text = readFileSync(path).toString();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === undefined ? undefined : readFailures[code];
    throw new ReadFault(reason ?? `reading failed (${code ?? "unknown reason"})`, { cause: error });
  }
  return parseDocument(text);
}

const readFailures: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "it is not a file",
  EACCES: "access is denied",
};

async function loadUrl(source: string, fetch: DocumentFetcher | undefined): Promise<ReadDocument> {
  const name = displayUrl(source);
  if (fetch === undefined) {
    throw new ToolError("internal", `Cannot load ${name}: no way to fetch was given.`);
  }
  const { text, url } = await fetch(source);
  return { kind: "url", root: parsed(name, () => parseDocument(text)), url, name };
}

function parsed(name: string, read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ReadFault)) throw error;
    const unreadable = (error.cause as NodeJS.ErrnoException | undefined)?.code !== undefined;
    throw new ToolError(
      unreadable ? "unavailable" : "invalid_arguments",
      `Cannot read ${name}: ${error.message}. ${unreadable ? "Check the address." : "It has to be an OpenAPI document in JSON or YAML."}`,
      { retryable: false, audience: "host", cause: error },
    );
  }
}
