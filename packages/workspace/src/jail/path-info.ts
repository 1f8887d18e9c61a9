import type { BigIntStats } from "node:fs";
import type { PathClass } from "./path-rules.ts";

/** The purpose of an access. `remove`: like `write`, but a link at the end of the path is the object itself. */
export type PathUse = "read" | "write" | "remove";

/** The place of a path, as a policy decides on it. No descriptor is open. */
export interface PathInfo {
  /** The path relative to its root, without links, with `/` between its parts. */
  readonly path: string;
  /** The absolute path without links. */
  readonly realPath: string;
  /** The kind of the object; undefined: there is none yet. `link` only if it is to be removed. */
  readonly kind: "file" | "directory" | "link" | undefined;
  /** The state of the object; undefined: there is none yet. */
  readonly stat: BigIntStats | undefined;
  /** The classes of the path, and of the path as it was asked for: the strictest first. */
  readonly classes: readonly PathClass[];
  /** True for a file with several hard links whose rule is to ask. */
  readonly asksForHardLink: boolean;
}

/** A file that is open. Its owner closes it. */
export interface OpenFile {
  readonly fd: number;
  readonly stat: BigIntStats;
  readonly info: PathInfo;
  close(): void;
}

/** A folder that is open. Its owner closes it. */
export interface OpenFolder {
  /** The path under which its members are opened: those of this folder, whatever its name is meanwhile. */
  readonly membersPath: string;
  readonly info: PathInfo;
  close(): void;
}

/** The place of a file that is to be written, with the folder around it open. Its owner closes it. */
export interface WritePlace {
  /** The path under which the members of the folder are opened. */
  readonly folderPath: string;
  readonly name: string;
  /** Folders that have to be made first, the outer one first. */
  readonly missingFolders: readonly string[];
  /** The file that is there; undefined: there is none. */
  readonly stat: BigIntStats | undefined;
  readonly info: PathInfo;
  /** Opens the file that is there for reading. */
  openFile(): OpenFile;
  /**
   * Checks, directly before something in the folder changes, that the folder is still where its path is.
   *
   * @param folder the path under which the members of the innermost folder are opened.
   * @throws JailError `changed`
   */
  confirm(folder: string): void;
  close(): void;
}
