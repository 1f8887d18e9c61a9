import { readdirSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { ScriptText } from "../artifact/artifact.ts";
import { readText } from "../source/find-files.ts";
import { readFences } from "../text/fences.ts";
import { splitFile } from "../text/split-file.ts";
import { foldersBeside } from "./beside.ts";

/** A program with tests: a file `*.test.star`, or a fenced block ` ```starlark test ` of a markdown file. */
export interface TestProgram {
  /** Absolute. */
  readonly path: string;
  readonly script: ScriptText;
}

const maxFiles = 20_000;
const skippedFolders: ReadonlySet<string> = new Set(["node_modules", ".git"]);

/**
 * Finds the tests of files and folders, in order of path. Folders are searched with everything below them, except
 * `node_modules` and `.git`; links to folders are not followed.
 *
 * @param paths absolute, or relative to `root`.
 * @param root the folder to which displayed paths are relative.
 */
export function findTests(paths: readonly string[], root: string): readonly TestProgram[] {
  const files = new Set<string>();
  for (const path of paths.map((each) => resolve(root, each))) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) collect(path, files);
    else files.add(path);
  }
  return [...files].sort().flatMap((path) => readTests(path, root));
}

/** The folders whose changes matter for tests: those of the paths with everything below, and those beside the tests. */
export function findTestFolders(paths: readonly string[], root: string): readonly string[] {
  const folders = new Set<string>();
  for (const path of paths.map((each) => resolve(root, each))) {
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    if (isFolder) collect(path, new Set(), folders);
    else folders.add(dirname(path));
  }
  for (const { path } of findTests(paths, root))
    for (const folder of foldersBeside(path)) folders.add(folder);
  return [...folders];
}

function collect(folder: string, files: Set<string>, folders?: Set<string>): void {
  folders?.add(folder);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (files.size >= maxFiles) return;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!skippedFolders.has(entry.name)) collect(path, files, folders);
    } else if (entry.name.endsWith(".test.star") || entry.name.endsWith(".md")) files.add(path);
  }
}

function readTests(path: string, root: string): readonly TestProgram[] {
  const text = readText(path);
  if (text === undefined) return [];
  const file = relative(root, path).split(sep).join("/");
  if (!path.endsWith(".md")) {
    const code = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
    return [{ path, script: { text: code, place: { file, line: 1, column: 1 } } }];
  }
  if (!/starlark[ \t]+test/.test(text)) return [];
  const parts = splitFile(file, text);
  const [body, bodyLine] =
    "code" in parts ? [text.replaceAll("\r\n", "\n"), 1] : [parts.body, parts.bodyLine];
  return readFences(body, bodyLine)
    .filter(({ language, name }) => language === "starlark" && name === "test")
    .map(({ text: code, line, column }) => ({
      path,
      script: { text: code, place: { file, line, column } },
    }));
}
