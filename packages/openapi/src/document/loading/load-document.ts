import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ToolError } from "@toolweave/core";
import { formatValue } from "@toolweave/core/adapter";
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
  const hint = addressHint(source);
  return { kind, root: parse(path, () => files.read(path), hint), url: url.href, name: path };
}

/** Says how the address of a server is written, if a path looks like one. */
function addressHint(source: string): string {
  const isHost = /^(?:localhost|\d+(?:\.\d+){3}|(?:[\w-]+\.)+[a-z]{2,})(?::\d+|\/)/i.test(source);
  return isHost ? ` The document of a server has a URL, such as http://${source}.` : "";
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

/**
 * Detects whether an input is a URL, a path, the text of a document, or a parsed document.
 *
 * @throws ToolError `invalid_configuration` for any other value, an empty text, and a URL that cannot be loaded.
 */
export function detectSourceKind(input: string | URL | object): SourceKind {
  if (typeof input === "object" && input !== null && !(input instanceof URL)) return "document";
  const source = input instanceof URL ? input.href : input;
  if (typeof source !== "string" || source === "") {
    throw invalidInput(`the document is ${source === "" ? "an empty text" : formatValue(source)}`);
  }
  if (/\n|^\s*\{/.test(source)) return "text";
  const protocol = input instanceof URL ? input.protocol : readProtocol(source);
  if (protocol === "http:" || protocol === "https:") return "url";
  if (protocol === undefined || protocol === "file:") return "file";
  throw invalidInput(`${displayUrl(source)} has a protocol that cannot be loaded`);
}

/** The protocol of a URL, or `undefined`: a Windows path may begin with a letter and a colon. */
function readProtocol(source: string): string | undefined {
  return /^([a-z][a-z0-9+.-]+:)\/\//i.exec(source)?.[1]?.toLowerCase();
}

function invalidInput(what: string): ToolError {
  const message = `openApiSource: ${what}. Pass a URL (http, https or file), a path, the text of a document, or a parsed document.`;
  return new ToolError("invalid_configuration", message);
}

async function loadUrl(source: string, files: DocumentFiles): Promise<ReadDocument> {
  const name = displayUrl(source);
  if (!files.canFetch) {
    throw new ToolError("invalid_configuration", `Cannot load ${name}: there is no fetcher.`);
  }
  try {
    return { kind: "url", ...(await files.fetch(source)), name };
  } catch (error) {
    throw toReadError(name, error);
  }
}

function parse(name: string, read: () => unknown, hint = ""): unknown {
  try {
    return read();
  } catch (error) {
    throw toReadError(name, error, hint);
  }
}

function toReadError(name: string, error: unknown, hint = ""): unknown {
  if (!(error instanceof ReadFault)) return error;
  const unreadable = (error.cause as NodeJS.ErrnoException | undefined)?.code !== undefined;
  return new ToolError(
    unreadable ? "unavailable" : "invalid_arguments",
    `Cannot read ${name}: ${error.message}. ${unreadable ? `Check the address.${hint}` : "It has to be an OpenAPI document in JSON or YAML."}`,
    { retryable: false, audience: "host", cause: error },
  );
}
