import type { ToolSource } from "@toolweave/core";
import { detectSourceKind } from "./document/loading/load-document.ts";
import { DocumentSource } from "./document-source.ts";
import type { OpenApiOptions } from "./options/openapi-options.ts";

/** The operations of an OpenAPI document as tools. */
export interface OpenApiSource extends ToolSource {
  /**
   * Makes every schema and request plan now instead of when it is needed, so that `problems` names everything. Call it after
   * `ready`; it is synchronous, and costs as much as the whole document.
   */
  realize(): void;
  /**
   * Loads the document again, as far as it has changed. Resolves when a loading that began after this call is done:
   * refreshes that are asked for meanwhile are one. Operations that are still the same keep their tools and plans;
   * listeners hear once of all that differs, and of nothing else. Rejects with a `ToolError` when the new version cannot
   * be had or read; then the tools stay, and `problems` says so until a refresh succeeds. Nobody has to await it. What was
   * given as a text or an object stays as it is.
   */
  refresh(): Promise<void>;
}

/** Makes sources; callable itself. */
export interface OpenApiSourceFactory {
  /**
   * Every operation of a document (Swagger 2.0, OpenAPI 3.0, 3.1, 3.2) as a tool. Returns at once and loads; `ready`
   * rejects with a `ToolError` (`unavailable`, `invalid_arguments`, …) when the document cannot be had.
   *
   * @param document a URL, a path, the text of a document in JSON or YAML, or a parsed document.
   * @throws ToolError `internal` when an option cannot be meant.
   */
  (document: string | URL | object, options?: OpenApiOptions): OpenApiSource;
  /** The document at an `http:` or `https:` URL. */
  fromUrl(url: string | URL, options?: OpenApiOptions): OpenApiSource;
  /** The document in a file, by path or `file:` URL. */
  fromFile(path: string | URL, options?: OpenApiOptions): OpenApiSource;
  /** The text of a document, JSON or YAML. */
  fromString(text: string, options?: OpenApiOptions): OpenApiSource;
  /** A parsed document. It must not be changed afterwards. */
  fromDocument(document: object, options?: OpenApiOptions): OpenApiSource;
}

/** Makes tools of an OpenAPI document. */
export const openApiSource: OpenApiSourceFactory = Object.assign(
  (document: string | URL | object, options?: OpenApiOptions): OpenApiSource =>
    new DocumentSource(document, detectSourceKind(document), options),
  {
    fromUrl: (url: string | URL, options?: OpenApiOptions): OpenApiSource =>
      new DocumentSource(url, "url", options),
    fromFile: (path: string | URL, options?: OpenApiOptions): OpenApiSource =>
      new DocumentSource(path, "file", options),
    fromString: (text: string, options?: OpenApiOptions): OpenApiSource =>
      new DocumentSource(text, "text", options),
    fromDocument: (document: object, options?: OpenApiOptions): OpenApiSource =>
      new DocumentSource(document, "document", options),
  },
);
