import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { artifactFolders, inlineFiles } from "../artifact/artifact-folders.ts";
import type { Artifact } from "../artifact/artifact.ts";
import type { FindFile } from "../script/script-loader.ts";
import { readTextFile } from "../text/read-text-file.ts";

/** A file that may declare something. */
export interface ArtifactFile {
  /** Absolute. */
  readonly path: string;
  /** Relative to the folder of the source, with `/`. */
  readonly file: string;
  /** `inline`: lists of tools and hooks in `toolweave.md` or `harness.md`. */
  readonly kind: Artifact["kind"] | "inline";
  /** The file `PLUGIN.md` of the folder that this file belongs to. */
  readonly bundle?: string;
  /** Replaces artifacts of the same name that were found before. */
  readonly overrides: boolean;
}

const folders = [
  ["tools", "tool"],
  ["hooks", "hook"],
] as const;
const bundleFolders = ["plugins", "bundles", "builtins", "overrides"] as const;

/** The maximum number of files, and the bytes of one. */
const maxFiles = 20_000;
const maxBytes = 1_048_576;

/** The files of a folder, in the order in which they count. */
export function findArtifactFiles(folder: string): readonly ArtifactFile[] {
  const found: ArtifactFile[] = [];
  const add = (
    path: string,
    kind: ArtifactFile["kind"],
    more: Partial<ArtifactFile> = {},
  ): void => {
    if (found.length >= maxFiles || !isInside(folder, path)) return;
    found.push({ path, file: toDisplay(folder, path), kind, overrides: false, ...more });
  };
  const addAll = (path: string, more: Partial<ArtifactFile> = {}): void => {
    for (const [name, kind] of folders)
      for (const file of listMarkdown(join(path, name))) add(file, kind, more);
  };
  for (const root of artifactFolders) addAll(join(folder, root));
  for (const name of inlineFiles) {
    const path = join(folder, name);
    if (isFile(path)) add(path, "inline");
  }
  for (const root of artifactFolders) {
    for (const name of bundleFolders) {
      const parent = join(folder, root, name);
      const more = { overrides: name === "overrides" };
      for (const file of listMarkdown(parent)) add(file, "bundle", more);
      for (const child of list(parent)) {
        const main = join(parent, child, "PLUGIN.md");
        if (!isFile(main)) continue;
        add(main, "bundle", more);
        addAll(join(parent, child), { ...more, bundle: toDisplay(folder, main) });
      }
    }
  }
  return found;
}

/** The folders whose changes matter: those that exist, and for the others the nearest one that does. */
export function findWatchedFolders(folder: string): readonly string[] {
  const watched = new Set<string>([folder]);
  for (const root of artifactFolders) {
    watched.add(join(folder, root));
    for (const [name] of folders) watched.add(join(folder, root, name));
    for (const name of bundleFolders) {
      const parent = join(folder, root, name);
      watched.add(parent);
      for (const child of list(parent)) {
        const path = join(parent, child);
        watched.add(path);
        for (const [inner] of folders) watched.add(join(path, inner));
      }
    }
  }
  return [...watched].filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory());
}

/** The text of a file; undefined: it cannot be read, is too long, or is not a regular one. */
export function readText(path: string): string | undefined {
  return readTextFile(path, maxBytes);
}

/** Returns what finds the files that scripts of a file load: those of its folder and below. */
export function fileFinder(folder: string, file: string): FindFile {
  const from = dirname(join(folder, file));
  return (name) => {
    const path = join(from, name);
    if (!name.endsWith(".star") || !isBelow(from, path) || !isInside(folder, path))
      return undefined;
    const text = readText(path);
    return text === undefined ? undefined : { file: toDisplay(folder, path), text };
  };
}

function listMarkdown(path: string): readonly string[] {
  return list(path)
    .filter((name) => name.endsWith(".md") && name !== "PLUGIN.md")
    .map((name) => join(path, name))
    .filter(isFile);
}

/** The names in a folder in order; none if there is no such folder. */
function list(path: string): readonly string[] {
  try {
    return readdirSync(path).sort();
  } catch {
    return [];
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Whether a path leads to a place in the folder: links that lead out of it are not followed. */
function isInside(folder: string, path: string): boolean {
  try {
    if (!lstatSync(path).isSymbolicLink() && !lstatSync(dirname(path)).isSymbolicLink())
      return true;
    return isBelow(realpathSync(folder), realpathSync(path));
  } catch {
    return false;
  }
}

function isBelow(folder: string, path: string): boolean {
  const inner = relative(folder, path);
  return inner !== "" && inner !== ".." && !inner.startsWith(`..${sep}`);
}

function toDisplay(folder: string, path: string): string {
  return relative(folder, path).split(sep).join("/");
}
