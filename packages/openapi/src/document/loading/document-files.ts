import type { Stats } from "node:fs";
import { pathToFileURL } from "node:url";
import { decodeWideText } from "@toolweave/core/adapter";
import { parseDocument, ReadFault } from "./parse-document.ts";

// An import of node:fs would load its promises, and with them a part of Node.js that nothing here uses.
const { readFileSync, realpathSync, statSync } = process.getBuiltinModule("node:fs");

/** Cache metadata of the version of a document that a server returned (RFC 9110 section 8.8). */
export interface Revision {
  readonly etag?: string;
  readonly lastModified?: string;
  /** Milliseconds for which the document need not be requested again. */
  readonly freshForMs?: number;
}

/** The text of a document from HTTP, and its URL after redirects. */
interface FetchedText {
  readonly text: string;
  readonly url: string;
  readonly mediaType?: string;
  /** Absent: the server sent none. */
  readonly revision?: Revision;
}

/** The server's answer that the known version is current. */
interface Unchanged {
  readonly unchanged: true;
  readonly revision?: Revision;
}

/**
 * Fetches a document. It guards every hop; its errors become the reason of the failure.
 *
 * @param known the version that is already loaded: only changes have to be sent.
 */
export type DocumentFetcher = (url: string, known?: Revision) => Promise<FetchedText | Unchanged>;

interface LocalFile {
  /** Version of the file; `absent` if there is none. */
  readonly stamp: string;
  /** Absent: the file could not be read. */
  readonly root?: unknown;
  readonly notes?: readonly string[];
}

interface WebFile {
  readonly root: unknown;
  readonly notes: readonly string[];
  /** The URL of the file after redirects. */
  readonly foundAt: string;
  readonly revision: Revision | undefined;
  /** Digest of the text; computed only from the second complete response on. */
  readonly digest: string | undefined;
  /** Expiry on the clock of `performance.now()`. */
  readonly freshUntil: number;
}

/** Called with errors in a file that was read nevertheless: parts of a sentence. */
type ToleranceListener = (url: string | undefined, notes: readonly string[]) => void;

const absent = "absent";

/**
 * The files of one load of a document. Compared with those of the previous load, it reads only the changed ones: an
 * unchanged file has the same root object.
 */
export class DocumentFiles {
  readonly #fetch: DocumentFetcher | undefined;
  readonly #local = new Map<string, LocalFile>();
  readonly #web = new Map<string, WebFile>();
  /** Targets of the followed symbolic links, by the requested path. */
  readonly #links = new Map<string, string>();
  #before: DocumentFiles | undefined;
  #toleranceListener: ToleranceListener | undefined;
  /** Errors that were tolerated before there was a listener. */
  readonly #tolerated = new Map<string | undefined, readonly string[]>();

  constructor(fetch: DocumentFetcher | undefined, before?: DocumentFiles) {
    this.#fetch = fetch;
    this.#before = before;
  }

  /** Returns true if the previous load had the file at `url`. */
  hadPreviously(url: string): boolean {
    return this.#before !== undefined && this.#before.#web.has(url);
  }

  /** True if some of the files were fetched. */
  get isOnWeb(): boolean {
    return this.#web.size > 0;
  }

  /** True if documents on the web can be fetched. */
  get canFetch(): boolean {
    return this.#fetch !== undefined;
  }

  /** Milliseconds for which all fetched files may be considered unchanged (RFC 9111 section 5.2.2.1). */
  get freshForMs(): number {
    let until = Infinity;
    for (const { freshUntil } of this.#web.values()) until = Math.min(until, freshUntil);
    return until === Infinity ? 0 : Math.max(0, until - performance.now());
  }

  /**
   * Returns the parsed file at a path.
   *
   * @param link the requested path, if symbolic links lead from it to `path`.
   * @throws {ReadFault} it can't be read or parsed.
   */
  read(path: string, link: string = path): unknown {
    if (link !== path) this.#links.set(link, path);
    let stamp = absent;
    try {
      const found = statSync(path);
      stamp = toStamp(found);
      const known = this.#before === undefined ? undefined : this.#before.#local.get(path);
      if (known?.stamp === stamp && "root" in known) {
        this.#local.set(path, known);
        this.#reportTolerated(pathToFileURL(path).href, known.notes ?? []);
        return known.root;
      }
      const text = readText(path, found);
      const notes: string[] = [];
      const root = parseDocument(text, (note) => notes.push(note));
      this.#local.set(path, { stamp, root, notes });
      this.#reportTolerated(pathToFileURL(path).href, notes);
      return root;
    } catch (error) {
      this.#local.set(path, { stamp });
      throw error instanceof ReadFault ? error : toReadFault(error);
    }
  }

  /**
   * Returns the parsed file at a URL, requested with its ETag or date if known.
   *
   * @throws {ReadFault} it can't be parsed. Errors of the fetch are passed on.
   */
  async fetch(url: string): Promise<{ readonly root: unknown; readonly url: string }> {
    const known = this.#before === undefined ? undefined : this.#before.#web.get(url);
    const fetch = this.#fetch as DocumentFetcher;
    const found =
      known?.revision === undefined ? await fetch(url) : await fetch(url, known.revision);
    let file: WebFile;
    if ("unchanged" in found) {
      const { root, notes, foundAt, revision, digest } = known as WebFile;
      file = {
        root,
        notes,
        foundAt,
        revision,
        digest,
        freshUntil: toExpiry(found.revision ?? revision),
      };
    } else {
      const { text, revision } = found;
      const digest = known === undefined ? undefined : computeDigest(text);
      const isSame =
        digest !== undefined && digest === known?.digest && found.url === known.foundAt;
      const notes = isSame ? [...known.notes] : [];
      const root = isSame ? known.root : parseDocument(text, (note) => notes.push(note));
      file = {
        root,
        notes,
        foundAt: found.url,
        revision,
        digest,
        freshUntil: toExpiry(revision),
      };
    }
    this.#web.set(url, file);
    this.#reportTolerated(file.foundAt, file.notes);
    return { root: file.root, url: file.foundAt };
  }

  /** Parses the text of the main document. */
  parse(text: string): unknown {
    const notes: string[] = [];
    const root = parseDocument(text, (note) => notes.push(note));
    this.#reportTolerated(undefined, notes);
    return root;
  }

  /**
   * Calls `listener` with the tolerated errors of each file that was or will be read; the main document may have no
   * URL.
   */
  onTolerated(listener: ToleranceListener): void {
    this.#toleranceListener = listener;
    for (const [url, notes] of this.#tolerated) listener(url, notes);
    this.#tolerated.clear();
  }

  #reportTolerated(url: string | undefined, notes: readonly string[]): void {
    if (notes.length === 0) return;
    if (this.#toleranceListener === undefined) this.#tolerated.set(url, notes);
    else this.#toleranceListener(url, notes);
  }

  /** Returns true if every file of the previous load is unchanged. Reads the local files that changed. */
  isUnchanged(): boolean {
    const before = this.#before;
    if (before === undefined) return false;
    for (const [url, { root, foundAt }] of before.#web) {
      const now = this.#web.get(url);
      if (now === undefined || now.root !== root || now.foundAt !== foundAt) return false;
    }
    for (const [link, path] of before.#links) if (resolveTarget(link) !== path) return false;
    for (const [path, known] of before.#local) if (!this.#isSame(path, known)) return false;
    return true;
  }

  /** Adopts the current cache metadata of unchanged files, above all their expiry. */
  renew(now: DocumentFiles): void {
    for (const [url, file] of now.#web) this.#web.set(url, file);
  }

  /** Drops the previous load. */
  settle(): void {
    this.#before = undefined;
  }

  /** Returns the current versions of the local files; undefined if they are the ones that were read. */
  async changes(): Promise<string | undefined> {
    // Loaded on demand: most documents are never looked at again.
    const { stat } = process.getBuiltinModule("node:fs/promises");
    let changed = false;
    const stamps = await Promise.all(
      Array.from(this.#local, async ([path, { stamp }]) => {
        const now = await stat(path).then(toStamp, () => absent);
        if (now !== stamp) changed = true;
        return now;
      }),
    );
    for (const [link, path] of this.#links) {
      const now = resolveTarget(link);
      if (now !== path) changed = true;
      stamps.push(now);
    }
    return changed ? stamps.join("\n") : undefined;
  }

  #isSame(path: string, known: LocalFile): boolean {
    if (!this.#local.has(path)) {
      try {
        this.read(path);
      } catch {
        // The failure is recorded in `#local`, and compared.
      }
    }
    const now = this.#local.get(path);
    return now !== undefined && now.root === known.root && "root" in now === "root" in known;
  }
}

function resolveTarget(link: string): string {
  try {
    return realpathSync.native(link);
  } catch {
    return absent;
  }
}

function toStamp({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

/** Maximum size of a file in bytes. */
const maxFileBytes = 256 * 1024 * 1024;

function readText(path: string, found: Stats): string {
  // A pipe or a device would block or never end.
  if (!found.isFile()) throw new ReadFault("it is not a file", { cause: { code: "EISDIR" } });
  if (found.size > maxFileBytes) {
    throw new ReadFault(`it has more than ${maxFileBytes / 1024 / 1024} MiB`);
  }
  // Takes half the time of readFileSync(path, "utf8"), which reads a large file in small pieces.
  const bytes = readFileSync(path);
  return decodeWideText(bytes) ?? bytes.toString();
}

function toReadFault(error: unknown): ReadFault {
  const { code } = error as NodeJS.ErrnoException;
  const reason = code === undefined ? undefined : readFailures[code];
  return new ReadFault(reason ?? `reading failed (${code ?? "unknown reason"})`, { cause: error });
}

const readFailures: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "it is not a file",
  EACCES: "access is denied",
};

function computeDigest(text: string): string {
  // Loaded on demand: loading it takes longer than finding the operations of most documents.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(text).digest("base64");
}

function toExpiry(revision: Revision | undefined): number {
  return performance.now() + (revision?.freshForMs ?? 0);
}
