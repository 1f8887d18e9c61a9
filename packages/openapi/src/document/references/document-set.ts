import { fileURLToPath } from "node:url";
import { relativeUrl } from "../loading/display-url.ts";
import type { DocumentFiles } from "../loading/document-files.ts";
import { createDocument, type LoadedDocument } from "./location.ts";
import type { OpenApiVersion } from "../openapi-version.ts";
import { ReadFault } from "../loading/parse-document.ts";
import { ReferencePolicy } from "./reference-policy.ts";

/** Maximum number of files of a document. */
const maxDocuments = 20_000;

/**
 * The main document and the files that it refers to. Local files are read on first access; files from the web are only
 * added by `add`, because reading here is synchronous.
 */
export class DocumentSet {
  readonly root: LoadedDocument;
  readonly version: OpenApiVersion;
  readonly policy: ReferencePolicy;
  readonly #files: DocumentFiles;
  readonly #entries = new Map<string, LoadedDocument | { readonly failure: string }>();

  constructor(
    root: unknown,
    version: OpenApiVersion,
    url: string | undefined,
    allowed: readonly string[],
    files: DocumentFiles,
  ) {
    const address = url === undefined ? undefined : withoutFragment(url);
    this.root = createDocument(root, address, "");
    this.version = version;
    this.#files = files;
    this.policy = new ReferencePolicy(address, allowed);
    this.#register(this.root);
  }

  /** All files that were loaded so far. */
  get documents(): LoadedDocument[] {
    const loaded = new Set<LoadedDocument>([this.root]);
    for (const entry of this.#entries.values()) if ("root" in entry) loaded.add(entry);
    return [...loaded];
  }

  /** Returns the file at `url` if it is loaded. */
  getLoaded(url: string): LoadedDocument | undefined {
    const entry = this.#entries.get(url);
    return entry !== undefined && "root" in entry ? entry : undefined;
  }

  /** Returns true if `url` was loaded, or a load of it failed. */
  wasTried(url: string): boolean {
    return this.#entries.has(url);
  }

  /** Adds a file that was fetched for `url` and found at `foundAt`. */
  add(url: string, foundAt: string, root: unknown): LoadedDocument {
    const address = withoutFragment(foundAt);
    const document = createDocument(root, address, relativeUrl(address, this.root.url));
    this.#entries.set(url, document);
    this.#register(document);
    return document;
  }

  /** Records the reason for which `url` can't be read. */
  fail(url: string, reason: string): void {
    this.#entries.set(url, { failure: reason });
  }

  /**
   * Returns the file at `url`, which is read if it is a local one that may be opened; else the reason for which it is
   * not available.
   */
  open(url: URL): LoadedDocument | { readonly failure: string } {
    const address = withoutFragment(url.href);
    const known = this.#entries.get(address);
    if (known !== undefined) return known;
    const failure = this.policy.getRefusal(url) ?? this.#sizeRefusal();
    const opened =
      failure === undefined
        ? url.protocol === "file:"
          ? this.#readLocal(url, address)
          : { failure: "it was not fetched when the document was opened" }
        : { failure };
    if (!("root" in opened)) this.#entries.set(address, opened);
    return opened;
  }

  #readLocal(url: URL, address: string): LoadedDocument | { readonly failure: string } {
    try {
      return this.add(
        address,
        address,
        this.#files.read(this.policy.resolvePath(url), fileURLToPath(url)),
      );
    } catch (error) {
      if (error instanceof ReadFault) return { failure: error.message };
      throw error;
    }
  }

  #sizeRefusal(): string | undefined {
    return this.#entries.size < maxDocuments
      ? undefined
      : `a document may not have more than ${maxDocuments} files`;
  }

  #register(document: LoadedDocument): void {
    if (document.url !== undefined) this.#entries.set(document.url, document);
    // OpenAPI 3.2 `$self`: the document's identity, independent of its location.
    const { base } = document.scope;
    if (base !== undefined) {
      const identity = withoutFragment(base);
      if (!this.#entries.has(identity)) this.#entries.set(identity, document);
    }
  }
}

/** Returns a URL up to its `#`. */
export function withoutFragment(url: string): string {
  const hash = url.indexOf("#");
  return hash === -1 ? url : url.slice(0, hash);
}
