import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
} from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { ToolError } from "@toolweave/core";
import { Entry, hasDescriptorPaths } from "./entry.ts";
import { JailError } from "./jail-error.ts";
import type { OpenFile, OpenFolder, PathInfo, PathUse, WritePlace } from "./path-info.ts";
import { reasonsToAsk, type PathCheck } from "./permitted-paths.ts";
import { PathMatcher, type PathRules, type WorkspaceRoot } from "./path-rules.ts";
import {
  openDirectly,
  pathBelow,
  walk,
  type FoundRoot,
  type OpenRoot,
  type Place,
} from "./walk.ts";

const maxPathLength = 4096;

/**
 * Opens files and folders below the roots of a workspace, and nothing else. Paths are followed one component at a time,
 * on Linux by descriptors: a process that replaces folders by links while a path is opened cannot lead out of the roots.
 * On other systems there is a moment between the check and the use.
 */
export class Jail {
  readonly #roots: readonly OpenRoot[];
  readonly #givenPaths: readonly string[];
  /** The globs of the rules. */
  readonly matcher: PathMatcher;
  readonly #hardLinks: "allow" | "ask" | "deny";
  readonly #maxPathLength: number;

  /**
   * @param roots relative paths of calls begin at the first one.
   * @throws ToolError `invalid_configuration` for a root that is no folder, or an invalid rule.
   */
  constructor(roots: readonly WorkspaceRoot[], rules: PathRules = {}) {
    if (roots.length === 0) throw misuse("a workspace needs at least one root");
    this.matcher = new PathMatcher(rules);
    this.#hardLinks = rules.hardLinks ?? "ask";
    this.#maxPathLength = rules.maxPathLength ?? maxPathLength;
    this.#givenPaths = roots.map(({ path }) => resolve(path));
    this.#roots = roots.map(openRoot);
  }

  /** The real paths of the roots, with their access. */
  get roots(): readonly WorkspaceRoot[] {
    return this.#roots.map(({ path, access }) => ({ path, access }));
  }

  /** Closes the roots. Nothing can be opened afterwards. */
  close(): void {
    for (const { entry } of this.#roots) entry.close();
  }

  /** Whether an absolute path is in a root, by its text alone. */
  contains(path: string): boolean {
    return this.#findRoot(path) !== undefined;
  }

  /** The path of a model for an absolute path in a root: relative to the first root, or absolute in another one. */
  relativePath(path: string): string {
    return pathBelow((this.#roots[0] as OpenRoot).path, path) ?? path;
  }

  /**
   * Finds out where a path leads, without opening anything for reading or writing.
   *
   * @throws JailError when it cannot be used.
   */
  locate(path: string, use: PathUse): PathInfo {
    const asked = this.#start(path);
    const place = this.#open(asked, use);
    try {
      return this.#inspect(asked, place, use);
    } finally {
      place.close();
    }
  }

  /**
   * Whether a member of a folder that is open can be read without a permission of its own.
   *
   * @param path relative to the root.
   */
  isPlain(path: string, { kind, stat }: Entry): boolean {
    const isShared = kind === "file" && stat.nlink > 1n && this.#hardLinks !== "allow";
    const classes = this.matcher.findClasses(path);
    const info = { path, realPath: path, classes, asksForHardLink: isShared };
    return !classes.includes("denied") && reasonsToAsk(info, "read").length === 0;
  }

  /**
   * Opens a file for reading.
   *
   * @param check decides on the object that is open.
   * @throws JailError when it cannot be used; the errors of the system.
   */
  openFile(path: string, check: PathCheck): OpenFile {
    const asked = this.#start(path);
    const place = this.#open(asked, "read");
    try {
      const info = this.#inspect(asked, place, "read");
      check(info, "read");
      const file = openFile(place.entry, info);
      try {
        this.#confirmByPath(asked, "read", info);
        return file;
      } catch (error) {
        file.close();
        throw error;
      }
    } finally {
      place.close();
    }
  }

  /**
   * Opens a folder, to list its members.
   *
   * @param check decides on the object that is open.
   * @throws JailError when it cannot be used.
   */
  openFolder(path: string, check: PathCheck): OpenFolder {
    const asked = this.#start(path);
    const place = this.#open(asked, "read");
    try {
      const info = this.#inspect(asked, place, "read");
      check(info, "read");
      if (place.entry === undefined) throw new JailError("missing");
      if (place.entry.kind !== "directory") throw new JailError("noFolder");
      return { membersPath: place.entry.path, info, close: () => place.close() };
    } catch (error) {
      place.close();
      throw error;
    }
  }

  /**
   * Opens the folder around a file that is to be written, or around an object that is to be removed.
   *
   * @param check decides on the object that is open.
   * @throws JailError when it cannot be used.
   */
  openForWriting(
    path: string,
    check: PathCheck,
    use: Exclude<PathUse, "read"> = "write",
  ): WritePlace {
    const asked = this.#start(path);
    const place = this.#open(asked, use);
    try {
      const info = this.#inspect(asked, place, use);
      if (info.kind === "directory" && use === "write") throw new JailError("isFolder");
      check(info, use);
      const { names, parent, entry, missing } = place;
      return {
        folderPath: (parent as Entry).path,
        name: names.at(-1) as string,
        missingFolders: missing.slice(0, -1),
        stat: entry?.stat,
        info,
        openFile: () => openFile(entry, info),
        confirm: (folder) => {
          if (!hasDescriptorPaths) return this.#confirmByPath(asked, use, info);
          if (readlinkSync(folder) !== dirname(info.realPath)) throw new JailError("changed");
        },
        close: () => place.close(),
      };
    } catch (error) {
      place.close();
      throw error;
    }
  }

  /**
   * Gives a file or a folder another name in its folder. A link is not followed.
   *
   * @throws JailError when it cannot be used; the errors of the system.
   */
  rename(path: string, name: string): void {
    const findRoot = (target: string): FoundRoot | undefined => this.#findRoot(target);
    const asked = this.#start(path);
    const place = walk(asked, { findRoot, followLast: false });
    try {
      this.#inspect(asked, place, "write");
      const { parent, names, entry } = place;
      if (entry === undefined || parent === undefined || names.length === 0) {
        throw new JailError("missing");
      }
      renameSync(`${parent.path}/${names.at(-1) as string}`, `${parent.path}/${name}`);
    } finally {
      place.close();
    }
  }

  #open(start: FoundRoot, use: PathUse): Place {
    if (use !== "read" && start.root.access !== "write") throw new JailError("readOnly");
    const findRoot = (target: string): FoundRoot | undefined => this.#findRoot(target);
    return (
      (use === "read" ? openDirectly(start) : undefined) ??
      walk(start, { findRoot, followLast: use !== "remove" })
    );
  }

  /**
   * Without descriptor paths, follows the path again after the object was opened: a folder around it can have been a link
   * for a moment. Both ways have to lead to the same object.
   */
  #confirmByPath(asked: FoundRoot, use: PathUse, { realPath, stat }: PathInfo): void {
    if (hasDescriptorPaths) return;
    const place = this.#open(asked, use);
    try {
      const now = this.#inspect(asked, place, use);
      const isSame =
        now.realPath === realPath && now.stat?.ino === stat?.ino && now.stat?.dev === stat?.dev;
      if (!isSame) throw new JailError("changed");
    } finally {
      place.close();
    }
  }

  /** A file `.git` names the folder of a repository, whose hooks and settings git runs. */
  #namesRepository(path: string): boolean {
    return (
      /(?:^|\/)\.git$/i.test(path) &&
      this.matcher.findClasses(`${path}/hooks`).includes("protected")
    );
  }

  /** Checks the place against all rules. */
  #inspect(
    asked: FoundRoot,
    { root, names, parent, entry, missing }: Place,
    use: PathUse,
  ): PathInfo {
    if (use !== "read" && root.access !== "write") throw new JailError("readOnly");
    const path = names.join("/");
    const askedPath = asked.names.join("/");
    let classes = this.matcher.findClasses(path);
    if (askedPath !== path) {
      classes = [...new Set([...classes, ...this.matcher.findClasses(askedPath)])];
    }
    if (classes.includes("denied")) throw new JailError("denied");
    if (path === "" && use === "remove") throw new JailError("root");
    const kind = entry?.kind;
    if (kind !== "directory" && this.#namesRepository(path)) classes = [...classes, "protected"];
    if (
      kind === "other" ||
      (kind === "link" && use !== "remove") ||
      entry?.isOfKernel(root.entry.stat.dev) === true
    ) {
      throw new JailError("special");
    }
    const realPath = path === "" ? root.path : `${root.path === "/" ? "" : root.path}/${path}`;
    // A folder around it was moved since it was opened. Of an object without a parent the path was asked for just now.
    if (parent !== undefined) {
      const opened = entry ?? parent;
      const openedPath = missing.reduce((around) => dirname(around), realPath);
      if ((opened.currentPath ?? openedPath) !== openedPath) throw new JailError("changed");
    }
    const isShared = kind === "file" && (entry as Entry).stat.nlink > 1n;
    if (isShared && this.#hardLinks === "deny") throw new JailError("hardLink");
    return {
      path,
      realPath,
      kind,
      stat: entry?.stat,
      classes,
      asksForHardLink: isShared && this.#hardLinks === "ask",
    };
  }

  /** The root of a path, and the components below it. Nothing is opened. */
  #start(path: string): FoundRoot {
    if (path.includes("\0") || /\p{Surrogate}/u.test(path)) throw new JailError("malformed");
    if (path.length > this.#maxPathLength) throw new JailError("tooDeep");
    if (isAbsolute(path)) {
      const found = this.#findRoot(path);
      if (found === undefined) throw new JailError("outside");
      return found;
    }
    const names: string[] = [];
    for (const name of path.split("/")) {
      if (name === "" || name === ".") continue;
      if (name !== "..") names.push(name);
      else if (names.pop() === undefined) throw new JailError("outside");
    }
    return { root: this.#roots[0] as OpenRoot, names };
  }

  /** The innermost root around an absolute path, by its real path or by the one that it was given with. */
  #findRoot(path: string): FoundRoot | undefined {
    const full = resolve(path);
    let found: FoundRoot | undefined;
    let length = -1;
    for (const [index, root] of this.#roots.entries()) {
      for (const base of [root.path, this.#givenPaths[index] as string]) {
        const below = pathBelow(base, full);
        if (below === undefined || base.length <= length) continue;
        length = base.length;
        found = { root, names: below === "" ? [] : below.split("/") };
      }
    }
    return found;
  }
}

function openRoot({ path, access }: WorkspaceRoot): OpenRoot {
  if (access !== "read" && access !== "write") {
    throw misuse(`the access of the root ${path} is "${String(access)}"; use "read" or "write"`);
  }
  let entry: Entry;
  let real: string;
  try {
    real = realpathSync(path);
    entry = Entry.open(real);
  } catch (error) {
    throw misuse(`the root ${path} cannot be opened (${(error as Error).message})`);
  }
  if (entry.kind !== "directory") {
    entry.close();
    throw misuse(`the root ${path} is no folder`);
  }
  return { path: real, access, entry };
}

function openFile(entry: Entry | undefined, info: PathInfo): OpenFile {
  if (entry === undefined) throw new JailError("missing");
  if (entry.kind === "directory") throw new JailError("isFolder");
  const fd = openEntry(entry, constants.O_RDONLY);
  return { fd, stat: entry.stat, info, close: () => closeSync(fd) };
}

/** Opens the object of an entry itself, so that it cannot be another one than the one that was checked. */
function openEntry(entry: Entry, flags: number): number {
  const special = constants.O_NONBLOCK | constants.O_NOCTTY;
  const noFollow = hasDescriptorPaths ? 0 : constants.O_NOFOLLOW;
  let fd: number;
  try {
    fd = openSync(entry.path, flags | special | noFollow);
  } catch (error) {
    throw JailError.from(error);
  }
  // A descriptor path leads to the object itself. A name can lead to another one by now.
  if (hasDescriptorPaths) return fd;
  const { ino, dev } = fstatSync(fd, { bigint: true });
  if (ino === entry.stat.ino && dev === entry.stat.dev) return fd;
  closeSync(fd);
  throw new JailError("changed");
}

function misuse(what: string): ToolError {
  return new ToolError("invalid_configuration", `workspace: ${what}.`);
}
