import { realpathSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { displayUrl, parentFolder } from "../loading/display-url.ts";

/**
 * Decides which other files a document's references may open. Documents are untrusted, so files outside the document's
 * own folder may not be opened unless the host allows it.
 */
export class ReferencePolicy {
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
      return "the document has no location of its own; pass its path or URL";
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
