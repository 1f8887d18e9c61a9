import { fileURLToPath } from "node:url";
import { relativeUrl } from "../loading/display-url.ts";
import type { DocumentFiles } from "../loading/document-files.ts";
import { loadedDocument } from "./location.ts";
import type { LoadedDocument } from "./location.ts";
import type { OpenApiVersion } from "../openapi-version.ts";
import { ReadFault } from "../loading/read-fault.ts";
import { ReferencePolicy } from "./reference-policy.ts";

/** How many files one document may consist of. */
const maxDocuments = 20_000;

/**
 * The main document and the files it refers to. Local files are read when first asked for; files
 * from the web only come from `add`, since reading here is synchronous.
 */
export class DocumentSet {
  readonly root: LoadedDocument;
  readonly version: OpenApiVersion;
  readonly policy: ReferencePolicy;
  readonly #files: DocumentFiles;
  readonly #known = new Map<string, LoadedDocument | { readonly failure: string }>();

  constructor(
    root: unknown,
    version: OpenApiVersion,
    url: string | undefined,
    allowed: readonly string[],
    files: DocumentFiles,
  ) {
    const address = url === undefined ? undefined : withoutFragment(url);
    this.root = loadedDocument(root, address, "");
    this.version = version;
    this.#files = files;
    this.policy = new ReferencePolicy(address, allowed);
    this.#register(this.root);
  }

  /** Every file that was loaded so far. */
  get documents(): LoadedDocument[] {
    const loaded = new Set<LoadedDocument>([this.root]);
    for (const entry of this.#known.values()) if ("root" in entry) loaded.add(entry);
    return [...loaded];
  }

  /** The file at `url`, when it was loaded already. */
  known(url: string): LoadedDocument | undefined {
    const entry = this.#known.get(url);
    return entry !== undefined && "root" in entry ? entry : undefined;
  }

  /** True when `url` was loaded, or was tried and failed. */
  tried(url: string): boolean {
    return this.#known.has(url);
  }

  /** Adds a file that was fetched for `url`, and found where `foundAt` says. */
  add(url: string, foundAt: string, root: unknown): LoadedDocument {
    const address = withoutFragment(foundAt);
    const document = loadedDocument(root, address, relativeUrl(address, this.root.url));
    this.#known.set(url, document);
    this.#register(document);
    return document;
  }

  /** Remembers that `url` can't be had, and why. */
  fail(url: string, reason: string): void {
    this.#known.set(url, { failure: reason });
  }

  /**
   * The file at `url`, read when it is a local one that may be opened; else the reason why it is
   * not to be had.
   */
  open(url: URL): LoadedDocument | { readonly failure: string } {
    const address = withoutFragment(url.href);
    const known = this.#known.get(address);
    if (known !== undefined) return known;
    const failure = this.policy.refusal(url) ?? this.#full();
    const opened =
      failure === undefined
        ? url.protocol === "file:"
          ? this.#read(url, address)
          : { failure: "it was not fetched when the document was opened" }
        : { failure };
    if (!("root" in opened)) this.#known.set(address, opened);
    return opened;
  }

  #read(url: URL, address: string): LoadedDocument | { readonly failure: string } {
    try {
      return this.add(
        address,
        address,
        this.#files.read(this.policy.filePath(url), fileURLToPath(url)),
      );
    } catch (error) {
      if (error instanceof ReadFault) return { failure: error.message };
      throw error;
    }
  }

  #full(): string | undefined {
    return this.#known.size < maxDocuments
      ? undefined
      : `a document of more than ${maxDocuments} files is not read`;
  }

  #register(document: LoadedDocument): void {
    if (document.url !== undefined) this.#known.set(document.url, document);
    // OpenAPI 3.2 `$self`: the document's identity, whatever the place it was found.
    const { base } = document.scope;
    if (base !== undefined) {
      const identity = withoutFragment(base);
      if (!this.#known.has(identity)) this.#known.set(identity, document);
    }
  }
}

/** A URL up to its `#`. */
export function withoutFragment(url: string): string {
  const hash = url.indexOf("#");
  return hash === -1 ? url : url.slice(0, hash);
}
