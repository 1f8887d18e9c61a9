import { watch, type FSWatcher } from "node:fs";
// By the default export: older Node.js, which this package refuses with a text, has no such named export.
import nodeModule from "node:module";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { importModule } from "./import-module.ts";

/** Editors write a file in several steps. */
const settleMs = 100;

const parameter = "toolweave";

/** The local files of each import, by its number. */
const graphs = new Map<string, Set<string>>();
let imports = 0;
let hasHook = false;

/**
 * Imports a module and the local modules that it imports anew. Files in `node_modules` are not read again.
 *
 * @returns the exports, and the files that were read. If the import fails, the error has the files in `files`.
 */
export async function importAnew(
  path: string,
  files: Set<string>,
): Promise<Readonly<Record<string, unknown>>> {
  installHook();
  imports += 1;
  const id = String(imports);
  graphs.set(id, files);
  return importModule(path, `?${parameter}=${id}`);
}

/** A module that is imported anew passes its number on to the modules that it imports. */
function installHook(): void {
  if (hasHook) return;
  hasHook = true;
  nodeModule.registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      const id = graphId(context.parentURL);
      const files = id === undefined ? undefined : graphs.get(id);
      if (files === undefined || !isLocal(resolved.url)) return resolved;
      files.add(fileURLToPath(resolved.url));
      const isCached = resolved.format === "commonjs" || resolved.url.includes("?");
      return isCached ? resolved : { ...resolved, url: `${resolved.url}?${parameter}=${id}` };
    },
  });
}

function graphId(parent: string | undefined): string | undefined {
  if (parent?.startsWith("file:") !== true) return undefined;
  return URL.parse(parent)?.searchParams.get(parameter) ?? undefined;
}

function isLocal(url: string): boolean {
  return url.startsWith("file:") && !url.includes("/node_modules/");
}

/** Watches files for changes, and calls `onChange` once after several. It does not keep the process alive. */
export class FileWatch {
  readonly #onChange: () => void;
  readonly #folders = new Map<string, FSWatcher>();
  readonly #files = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Watches their folders: editors replace files, and a watched file would be the old one. */
  add(files: Iterable<string>): void {
    for (const file of files) {
      this.#files.add(file);
      const folder = dirname(file);
      if (this.#folders.has(folder)) continue;
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || this.#names(folder, name)) this.#schedule();
      });
      // A folder that is removed is not watched any more.
      watcher.on("error", () => watcher.close());
      this.#folders.set(folder, watcher);
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #names(folder: string, name: string): boolean {
    return [...this.#files].some((file) => dirname(file) === folder && basename(file) === name);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#onChange(), settleMs);
  }
}
