import { readFileSync, realpathSync, statSync, type Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import type { DocumentFetcher, Revision } from "./load-document.ts";
import { parseDocument } from "./parse-document.ts";
import { ReadFault } from "./read-fault.ts";

interface LocalFile {
  /** Which version of the file it is; `absent` for none. */
  readonly stamp: string;
  /** Absent: it could not be read. */
  readonly root?: unknown;
  readonly notes?: readonly string[];
}

interface WebFile {
  readonly root: unknown;
  readonly notes: readonly string[];
  /** Where it was found after redirects. */
  readonly foundAt: string;
  readonly revision: Revision | undefined;
  /** Of its text, from the second time on that it came whole. */
  readonly digest: string | undefined;
  /** By the clock of `performance.now()`. */
  readonly freshUntil: number;
}

/** Hears what is wrong in a file and was read nevertheless: parts of a sentence. */
type ToleranceListener = (url: string | undefined, notes: readonly string[]) => void;

const absent = "absent";

/**
 * The files that one load of a document consists of. With those of the load before, it reads only what
 * changed since: a file that is the same has the same root object.
 */
export class DocumentFiles {
  readonly #fetch: DocumentFetcher | undefined;
  readonly #local = new Map<string, LocalFile>();
  readonly #web = new Map<string, WebFile>();
  /** Where the symbolic links led that were followed, by the path as it was asked for. */
  readonly #links = new Map<string, string>();
  #before: DocumentFiles | undefined;
  #listener: ToleranceListener | undefined;
  /** What was tolerated before anybody listened. */
  readonly #tolerated = new Map<string | undefined, readonly string[]>();

  constructor(fetch: DocumentFetcher | undefined, before?: DocumentFiles) {
    this.#fetch = fetch;
    this.#before = before;
  }

  /** True when the load before had the file at `url`. */
  hadBefore(url: string): boolean {
    return this.#before !== undefined && this.#before.#web.has(url);
  }

  /** True when something of it was fetched. */
  get isOnWeb(): boolean {
    return this.#web.size > 0;
  }

  /** True when documents on the web can be had at all. */
  get canFetch(): boolean {
    return this.#fetch !== undefined;
  }

  /** Milliseconds for which everything that was fetched may be taken as unchanged (RFC 9111 section 5.2.2.1). */
  get freshForMs(): number {
    let until = Infinity;
    for (const { freshUntil } of this.#web.values()) until = Math.min(until, freshUntil);
    return until === Infinity ? 0 : Math.max(0, until - performance.now());
  }

  /**
   * The parsed file at a path.
   *
   * @param link the path that led there through symbolic links.
   * @throws {ReadFault} it can't be read or parsed.
   */
  read(path: string, link: string = path): unknown {
    if (link !== path) this.#links.set(link, path);
    let stamp = absent;
    try {
      const found = statSync(path);
      stamp = fileStamp(found);
      const known = this.#before === undefined ? undefined : this.#before.#local.get(path);
      if (known?.stamp === stamp && "root" in known) {
        this.#local.set(path, known);
        this.#noted(pathToFileURL(path).href, known.notes ?? []);
        return known.root;
      }
      const text = fileText(path, found);
      const notes: string[] = [];
      const root = parseDocument(text, (note) => notes.push(note));
      this.#local.set(path, { stamp, root, notes });
      this.#noted(pathToFileURL(path).href, notes);
      return root;
    } catch (error) {
      this.#local.set(path, { stamp });
      throw error instanceof ReadFault ? error : unreadable(error);
    }
  }

  /**
   * The parsed file at a URL, asked for by its ETag or date when it is known.
   *
   * @throws {ReadFault} it can't be parsed. What fetching throws comes as it is.
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
        freshUntil: freshUntil(found.revision ?? revision),
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
        freshUntil: freshUntil(revision),
      };
    }
    this.#web.set(url, file);
    this.#noted(file.foundAt, file.notes);
    return { root: file.root, url: file.foundAt };
  }

  /** Parses the text of the main document. */
  parse(text: string): unknown {
    const notes: string[] = [];
    const root = parseDocument(text, (note) => notes.push(note));
    this.#noted(undefined, notes);
    return root;
  }

  /** Tells `listener` what was tolerated in each file that was or will be read; the main document may have no URL. */
  onTolerated(listener: ToleranceListener): void {
    this.#listener = listener;
    for (const [url, notes] of this.#tolerated) listener(url, notes);
    this.#tolerated.clear();
  }

  #noted(url: string | undefined, notes: readonly string[]): void {
    if (notes.length === 0) return;
    if (this.#listener === undefined) this.#tolerated.set(url, notes);
    else this.#listener(url, notes);
  }

  /** True when every file of the load before is what it was. It reads the local ones that changed. */
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

  /** Takes over what servers say now of files that are still the same: until when, above all. */
  renew(now: DocumentFiles): void {
    for (const [url, file] of now.#web) this.#web.set(url, file);
  }

  /** Forgets the load before. */
  settle(): void {
    this.#before = undefined;
  }

  /** The versions of the local files as they are now; undefined when they are those that were read. */
  async changes(): Promise<string | undefined> {
    let changed = false;
    const stamps = await Promise.all(
      Array.from(this.#local, async ([path, { stamp }]) => {
        const now = await stat(path).then(fileStamp, () => absent);
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
        // That it cannot be read is kept, and compared.
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

function fileStamp({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

/** How many bytes one file may have. */
const maxFileBytes = 256 * 1024 * 1024;

function fileText(path: string, found: Stats): string {
  // A pipe or a device would block or never end.
  if (!found.isFile()) throw new ReadFault("it is not a file", { cause: { code: "EISDIR" } });
  if (found.size > maxFileBytes) {
    throw new ReadFault(`it has more than ${maxFileBytes / 1024 / 1024} MiB`);
  }
  // Half the time of readFileSync(path, "utf8"), which reads a big file in small pieces.
  return readFileSync(path).toString();
}

function unreadable(error: unknown): ReadFault {
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
  // Loading it takes longer than finding the operations of most documents.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(text).digest("base64");
}

function freshUntil(revision: Revision | undefined): number {
  return performance.now() + (revision?.freshForMs ?? 0);
}
