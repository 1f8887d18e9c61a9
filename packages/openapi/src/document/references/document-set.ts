import { fileURLToPath, pathToFileURL } from "node:url";
import { relativeUrl, displayUrl, parentFolder } from "../loading/display-url.ts";
import type { DocumentFiles } from "../loading/document-files.ts";
import { createDocument, defaultBase, withoutFragment, type LoadedDocument } from "./location.ts";
import type { OpenApiVersion } from "../openapi-version.ts";
import { ReadFault } from "../loading/parse-document.ts";
import { isAbsolute, relative, resolve, sep } from "node:path";

// An import of node:fs would load its promises, and with them a part of Node.js that nothing here uses.
const { realpathSync } = process.getBuiltinModule("node:fs");

/** Maximum number of files of a document. */
const maxDocuments = 20_000;

/**
 * The main document and the files that it refers to. Local files are read on first access; files from the web are only
 * added by `add`, because reading here is synchronous.
 */
export class DocumentSet {
  readonly root: LoadedDocument;
  readonly version: OpenApiVersion;
  /** True if schemas may have an `$id` and anchors. */
  readonly hasIds: boolean;
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
    this.version = version;
    this.hasIds = version === "3.1" || version === "3.2";
    this.root = createDocument(root, address, "", this.hasIds);
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
    const label = relativeUrl(address, this.root.url);
    const document = createDocument(root, address, label, this.hasIds);
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
  }
}

const noLocation = "the document has no location of its own; pass its path or URL";

/**
 * Decides which other files a document's references may open. Documents are untrusted, so files outside the document's
 * own folder may not be opened unless the host allows it.
 */
class ReferencePolicy {
  readonly #rootUrl: string | undefined;
  readonly #allowed: readonly URL[];
  readonly #realFolders = new Map<string, string | undefined>();

  /**
   * @param rootUrl the URL of the main document; absent: it was supplied as a text or a value.
   * @param allowed URLs and paths that may be opened beside the document's folder, including everything below them.
   */
  constructor(rootUrl: string | undefined, allowed: readonly string[]) {
    this.#rootUrl = rootUrl;
    this.#allowed = allowed.map((entry) => URL.parse(entry) ?? pathToFileURL(resolve(entry)));
  }

  /** True if the host allows a web address beside the document's own folder. */
  get opensWeb(): boolean {
    return this.#allowed.some(({ protocol }) => protocol !== "file:");
  }

  /** Returns the reason for which `url` must not be opened; undefined if it may. */
  getRefusal(url: URL): string | undefined {
    if (url.protocol === "file:") return this.#fileRefusal(url);
    if (url.href.startsWith(defaultBase)) return noLocation;
    if (url.protocol !== "http:" && url.protocol !== "https:") {
      return `its scheme ${JSON.stringify(url.protocol)} is never opened`;
    }
    if (url.username !== "" || url.password !== "") return "it carries a user name";
    if (this.#allowed.some((entry) => isBelow(url, entry))) return undefined;
    if (this.#rootUrl?.startsWith("http") === true) {
      if (isBelow(url, new URL(parentFolder(this.#rootUrl)))) return undefined;
      return `it lies outside the document's folder; ${formatAdvice(url)}`;
    }
    return `web addresses are not opened from here; ${formatAdvice(url)}`;
  }

  /** Returns the path of a `file:` URL that may be opened, symbolic links resolved. */
  resolvePath(url: URL): string {
    const path = fileURLToPath(url);
    try {
      return realpathSync.native(path);
    } catch {
      return path;
    }
  }

  #fileRefusal(url: URL): string | undefined {
    if (this.#rootUrl === undefined) {
      return noLocation;
    }
    if (!this.#rootUrl.startsWith("file:")) {
      return "a document from the web may not open local files";
    }
    let path: string;
    try {
      path = this.resolvePath(url);
    } catch {
      return "it is not the URL of a local file";
    }
    const folders = [parentFolder(this.#rootUrl)];
    for (const entry of this.#allowed) if (entry.protocol === "file:") folders.push(entry.href);
    for (const folder of folders) {
      const real = this.#realFolder(folder);
      if (real !== undefined && contains(real, path)) return undefined;
    }
    return "it lies outside the document's folder; `allowReferences` with its folder opens it";
  }

  #realFolder(url: string): string | undefined {
    if (!this.#realFolders.has(url)) {
      let real: string | undefined;
      try {
        real = realpathSync.native(fileURLToPath(url));
      } catch {
        real = undefined;
      }
      this.#realFolders.set(url, real);
    }
    return this.#realFolders.get(url);
  }
}

function contains(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return (
    inside === "" || (inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside))
  );
}

function isBelow(url: URL, allowed: URL): boolean {
  // An encoded separator may have another meaning for the server.
  if (url.origin !== allowed.origin || /%2f|%5c/i.test(url.pathname)) return false;
  const folder = allowed.pathname.endsWith("/") ? allowed.pathname : `${allowed.pathname}/`;
  return url.pathname === allowed.pathname || url.pathname.startsWith(folder);
}

function formatAdvice(url: URL): string {
  return `\`allowReferences: [${JSON.stringify(displayUrl(url.href))}]\` opens it`;
}
