import { readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { readTextFile } from "../text/read-text-file.ts";

const maxFileBytes = 256 * 1024;
const maxFolders = 3;
const maxMarkdownFiles = 300;

/** The files of a workspace: the texts that are open in the editor, and those on disk. */
export class WorkspaceFiles {
  readonly #open: (path: string) => string | undefined;
  readonly #owners = new Map<string, string | undefined>();

  /** @param open the text of a file that is open in the editor. */
  constructor(open: (path: string) => string | undefined) {
    this.#open = open;
  }

  read(path: string): string | undefined {
    return this.#open(path) ?? readTextFile(path, maxFileBytes);
  }

  /** The path of a file in a folder or below, by its name there; undefined: there is none, or a link leads out. */
  resolveInside(folder: string, name: string): string | undefined {
    if (/^[/\\]|[\\:\0]/.test(name) || name.split("/").includes("..")) return undefined;
    const path = join(folder, name);
    if (this.#open(path) !== undefined) return path;
    try {
      const [root, real] = [realpathSync(folder), realpathSync(path)];
      return real.startsWith(root + sep) ? path : undefined;
    } catch {
      return undefined;
    }
  }

  /** The markdown file whose `script_file` is a file: of its folder, or of a folder above. */
  getOwner(path: string): string | undefined {
    if (!this.#owners.has(path)) this.#owners.set(path, this.#findOwner(path));
    return this.#owners.get(path);
  }

  /** Forgets what was found in files, since one has changed. */
  invalidate(): void {
    this.#owners.clear();
  }

  /** The names of the files `.star` in a folder and directly below, as `load` writes them. */
  listPrograms(folder: string): readonly string[] {
    const names: string[] = [];
    for (const entry of listFolder(folder)) {
      if (entry.isFile() && isProgram(entry.name)) names.push(entry.name);
      if (!entry.isDirectory() || entry.name.startsWith(".") || entry.name === "node_modules")
        continue;
      for (const below of listFolder(join(folder, entry.name)))
        if (below.isFile() && isProgram(below.name)) names.push(`${entry.name}/${below.name}`);
    }
    return names;
  }

  #findOwner(path: string): string | undefined {
    let folder = dirname(path);
    for (let count = 0; count < maxFolders; count++) {
      const name = relative(folder, path).split(sep).join("/");
      for (const entry of listFolder(folder).slice(0, maxMarkdownFiles)) {
        if (!entry.name.endsWith(".md")) continue;
        const owner = join(folder, entry.name);
        const text = this.read(owner) ?? "";
        const written = [...text.matchAll(/^[ \t-]*script_file:[ \t]*["']?(?:\.\/)?([^"'\s#]+)/gm)];
        if (written.some(([, file]) => file === name)) return owner;
      }
      const parent = dirname(folder);
      if (parent === folder || basename(folder) === "") return undefined;
      folder = parent;
    }
    return undefined;
  }
}

function isProgram(name: string): boolean {
  return name.endsWith(".star") && !name.endsWith(".test.star");
}

function listFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
