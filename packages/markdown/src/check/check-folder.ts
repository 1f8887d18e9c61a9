import { readdir, readFile, stat } from "node:fs/promises";
import { realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { artifactFolders, inlineFiles } from "../artifact/artifact-folders.ts";
import { findDuplicates } from "../artifact/duplicates.ts";
import type { Finding } from "../text/finding.ts";
import { readTextFile } from "../text/read-text-file.ts";
import { sortFindings } from "../text/sort-findings.ts";
import { checkFile } from "./check-file.ts";
import type { FileKind } from "./check-file.ts";
import type { FileCheck } from "./file-check.ts";

const maxFileBytes = 67_108_864;

/** How paths are checked. */
export interface CheckPathsOptions {
  /** The folder to which the names in findings are relative. Default: the current one. */
  readonly cwd?: string;
  readonly strict?: boolean;
}

/** Everything that was found, with the texts for a report. */
export interface PathsCheck {
  readonly files: readonly FileCheck[];
  readonly findings: readonly Finding[];
  /** The text of each file by its name in findings. */
  readonly texts: ReadonlyMap<string, string>;
}

/** The folders whose files have one kind. */
const folderKinds: Readonly<Record<string, FileKind>> = {
  tools: "tool",
  hooks: "hook",
  plugins: "bundle",
  builtins: "bundle",
  overrides: "bundle",
};

/**
 * The kind of a file by its name, its folder and its front matter; undefined: it declares nothing.
 *
 * @param path with `/` between folders.
 */
export function kindOfFile(path: string, text: string): FileKind | undefined {
  const parts = path.split("/");
  const name = parts.at(-1) ?? "";
  if (name === "toolweave.json") return "config";
  if (!name.endsWith(".md") || name === "SKILL.md") return undefined;
  if (name === "PLUGIN.md") return "bundle";
  if (inlineFiles.includes(name)) return "inline";
  const front = /^\uFEFF?\s*---[ \t]*\r?\n([\s\S]*?)(?:\r?\n---[ \t]*(?:\r?\n|$)|$)/.exec(
    text,
  )?.[1];
  if (front !== undefined && /^type:[ \t]*["']?plugin\b/m.test(front)) return "bundle";
  const byFolder = folderKinds[parts.at(-2) ?? ""];
  if (byFolder !== undefined) return byFolder;
  if (front === undefined) return undefined;
  if (/^event:/m.test(front)) return "hook";
  return /^(?:parameters|script|script_file|timeout_ms|input):/m.test(front) ? "tool" : undefined;
}

/**
 * Checks files, and the files of folders. A folder is read with the folders in it; of `node_modules` and hidden folders only
 * `.toolweave` and `.harness` are read. Files that declare nothing are left out, unless a path names them.
 *
 * @throws the error of the file system if a path does not exist; an error of that form if it is neither a file nor a
 * folder.
 */
export async function checkPaths(
  paths: readonly string[],
  options: CheckPathsOptions = {},
): Promise<PathsCheck> {
  const { cwd = process.cwd(), strict = false } = options;
  const texts = new Map<string, string>();
  const files: FileCheck[] = [];
  for (const { isNamed, path } of await listFiles(paths.map((each) => resolve(cwd, each)))) {
    const text = await readNamed(path);
    const file = toName(cwd, path);
    const kind = kindOfFile(path.split(sep).join("/"), text) ?? (isNamed ? "tool" : undefined);
    if (kind === undefined || texts.has(file)) continue;
    texts.set(file, text);
    const folder = dirname(path);
    const readBeside = (name: string): string | undefined => {
      const beside = readInside(folder, name);
      if (beside !== undefined) texts.set(toName(cwd, join(folder, name)), beside);
      return beside;
    };
    files.push(checkFile(file, text, { kind, strict, readFile: readBeside }));
  }
  const named = new Set(files.flatMap(({ findings }) => findings.map(toKey)));
  const duplicates = findDuplicates(files.flatMap(({ artifacts }) => artifacts)).filter(
    (finding) => !named.has(toKey(finding)),
  );
  const findings = [...files.flatMap((file) => file.findings), ...duplicates];
  return { files, findings: sortFindings(findings), texts };
}

/** A pipe would wait for a writer. */
async function readNamed(path: string): Promise<string> {
  if ((await stat(path)).isFile()) return readFile(path, "utf8");
  const code = "not a regular file";
  throw Object.assign(new Error(`${path} cannot be read (${code})`), { code, path });
}

function toKey({ code, column, file, line }: Finding): string {
  return JSON.stringify([file, line, column, code]);
}

function toName(cwd: string, path: string): string {
  return (relative(cwd, path) || basename(path)).split(sep).join("/");
}

async function listFiles(
  paths: readonly string[],
): Promise<readonly { readonly path: string; readonly isNamed: boolean }[]> {
  const found: { path: string; isNamed: boolean }[] = [];
  for (const path of paths) {
    if ((await stat(path)).isDirectory()) {
      for (const file of await listFolder(path)) found.push({ path: file, isNamed: false });
    } else found.push({ path, isNamed: true });
  }
  return found;
}

async function listFolder(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const isHidden = entry.name.startsWith(".") && !artifactFolders.includes(entry.name);
      if (!isHidden && entry.name !== "node_modules") files.push(...(await listFolder(path)));
    } else if (entry.isFile() && (entry.name.endsWith(".md") || entry.name === "toolweave.json"))
      files.push(path);
  }
  return files;
}

/** The text of a file in a folder; undefined: there is none, or a link leads out of the folder. */
function readInside(folder: string, name: string): string | undefined {
  try {
    const root = realpathSync(folder);
    const path = realpathSync(join(folder, name));
    return path.startsWith(root + sep) ? readTextFile(path, maxFileBytes) : undefined;
  } catch {
    return undefined;
  }
}
