import { readlinkSync } from "node:fs";
import { isAbsolute } from "node:path";
import { Entry, hasDescriptorPaths } from "./entry.ts";
import { JailError } from "./jail-error.ts";

/** Maximum number of links that one path may lead through, as Linux has it. */
const maxLinks = 40;
/** Maximum number of folders around an object, each of which needs a descriptor. */
const maxDepth = 256;

/** A root whose folder is open. */
export interface OpenRoot {
  /** Its real path. */
  readonly path: string;
  readonly access: "read" | "write";
  readonly entry: Entry;
}

/** A place that was reached from a root one component at a time. */
export interface Place {
  readonly root: OpenRoot;
  /** The real path below the root, without links; the root itself is the empty list. */
  readonly names: readonly string[];
  /** The folder around the object. Undefined for the root itself, and if the object was opened for reading only. */
  readonly parent: Entry | undefined;
  /** The object; undefined: there is none of this name. */
  readonly entry: Entry | undefined;
  /** Components that do not exist; the last of `names` is the first of them. */
  readonly missing: readonly string[];
  close(): void;
}

/** Options of a walk. */
export interface WalkOptions {
  /** False: a link at the end of the path is the object itself. Default: true. */
  readonly followLast?: boolean;
  /** Finds the root around an absolute path, for links with one. */
  readonly findRoot: (path: string) => FoundRoot | undefined;
}

/** A root, and a path below it. */
export interface FoundRoot {
  readonly root: OpenRoot;
  readonly names: readonly string[];
}

/**
 * Opens the object of a path at once, and asks the kernel for its real path. Undefined if it is not below the root, or
 * something else is unusual: `walk` then says what. The system follows links here, but only to identify the object.
 */
export function openDirectly({ root, names }: FoundRoot): Place | undefined {
  if (!hasDescriptorPaths) return undefined;
  let entry: Entry;
  try {
    entry = Entry.follow(`${root.entry.path}/${names.join("/")}`);
  } catch {
    return undefined;
  }
  const below = pathBelow(root.path, entry.currentPath as string);
  if (below === undefined) {
    entry.close();
    return undefined;
  }
  return {
    root,
    names: below === "" ? [] : below.split("/"),
    parent: undefined,
    entry,
    missing: [],
    close: () => entry.close(),
  };
}

/** The part of a path below a folder; undefined: it is not below. Compared by components: `/ws/app2` is not in `/ws/app`. */
export function pathBelow(folder: string, path: string): string | undefined {
  if (path === folder) return "";
  const base = folder.endsWith("/") ? folder : `${folder}/`;
  return path.startsWith(base) ? path.slice(base.length) : undefined;
}

/**
 * Follows a path from a root. Links are followed here and not by the system, so that none leads out of the roots, also if
 * another process replaces folders by links meanwhile. The place has to be closed.
 *
 * @throws JailError for a path that leads out of the roots, through too many links, or through an object that is no folder.
 */
export function walk(start: FoundRoot, { findRoot, followLast = true }: WalkOptions): Place {
  let { root } = start;
  const names: string[] = [];
  const folders: Entry[] = [];
  /** Components that are still to be followed, the next one last. */
  let pending = start.names.toReversed();
  let links = 0;
  const closeAll = (): void => {
    for (const folder of folders.splice(0)) folder.close();
  };
  const place = (entry: Entry | undefined, missing: readonly string[]): Place => {
    const parent = folders.at(entry?.kind === "directory" ? -2 : -1) ?? root.entry;
    return {
      root,
      names,
      parent,
      entry,
      missing,
      close: () => {
        closeAll();
        if (entry !== undefined && entry !== root.entry && entry.kind !== "directory")
          entry.close();
      },
    };
  };
  try {
    while (pending.length > 0) {
      const name = pending.pop() as string;
      if (name === "" || name === ".") continue;
      if (name === "..") {
        if (names.pop() === undefined) throw new JailError("outside");
        folders.pop()?.close();
        continue;
      }
      const isLast = pending.length === 0;
      const folder = folders.at(-1) ?? root.entry;
      let entry: Entry;
      try {
        entry = folder.member(name);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw JailError.from(error);
        const missing = [name, ...pending.toReversed().filter((one) => one !== "" && one !== ".")];
        if (missing.includes("..")) throw new JailError("missing");
        names.push(...missing);
        return place(undefined, missing);
      }
      const { kind } = entry;
      if (kind === "directory") {
        names.push(name);
        folders.push(entry);
        if (folders.length > maxDepth) throw new JailError("tooDeep");
        continue;
      }
      if (kind !== "link" || (isLast && !followLast)) {
        if (isLast) {
          names.push(name);
          return place(entry, []);
        }
        entry.close();
        throw new JailError("noFolder");
      }
      entry.close();
      links += 1;
      if (links > maxLinks) throw new JailError("tooManyLinks");
      // The text may be that of another link by now. It is followed as carefully.
      const target = readLink(`${folder.path}/${name}`);
      const rest = target.split("/").toReversed();
      if (isAbsolute(target)) {
        const found = findRoot(target);
        if (found === undefined) throw new JailError("outside");
        closeAll();
        names.length = 0;
        ({ root } = found);
        pending = [...pending, ...found.names.toReversed()];
      } else pending = [...pending, ...rest];
      if (pending.length > 2 * maxDepth) throw new JailError("tooDeep");
    }
    return place(folders.at(-1) ?? root.entry, []);
  } catch (error) {
    closeAll();
    throw error;
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch (error) {
    throw JailError.from(error);
  }
}
