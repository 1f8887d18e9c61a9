import { detectSourceKind } from "./document/loading/load-document.ts";
import { DocumentSource, type OpenApiSource } from "./document-source.ts";
import type { OpenApiOptions } from "./options/openapi-options.ts";

/** Creates sources; the function itself detects the kind of the document. */
export interface OpenApiSourceFactory {
  /**
   * Creates a source of all operations of a document (Swagger 2.0, OpenAPI 3.0, 3.1, 3.2). Returns at once and loads in
   * the background; `ready` rejects with a `ToolError` (`unavailable`, `invalid_arguments`, …) if the document cannot
   * be loaded.
   *
   * @param document a URL, a path, the text of a document in JSON or YAML, or a parsed document.
   * @throws ToolError `invalid_configuration` for an invalid option.
   */
  (document: string | URL | object, options?: OpenApiOptions): OpenApiSource;
  /** Loads the document at an `http:` or `https:` URL. */
  fromUrl(url: string | URL, options?: OpenApiOptions): OpenApiSource;
  /** Loads the document in a file, by path or `file:` URL. */
  fromFile(path: string | URL, options?: OpenApiOptions): OpenApiSource;
  /** Uses the text of a document, JSON or YAML. */
  fromString(text: string, options?: OpenApiOptions): OpenApiSource;
  /** Uses a parsed document. It must not be changed afterwards. */
  fromDocument(document: object, options?: OpenApiOptions): OpenApiSource;
}

/** Creates tools from an OpenAPI document. */
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
