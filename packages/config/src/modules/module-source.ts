import { resolve } from "node:path";
import { ToolError, toolsSource, type Tool, type ToolSource } from "@toolweave/core";
import type { SourceProblem } from "@toolweave/core/adapter";
import { findExportedTools, type ExportedTools } from "./exported-tools.ts";
import { importModule } from "./import-module.ts";
import { FileWatch, importAnew } from "./module-watch.ts";

/** Options of `moduleSources`. */
export interface ModuleSourcesOptions {
  /** The name of the source among the others. Default: the path. */
  readonly id?: string;
  /**
   * Loads the module again when it or a local file that it imports has changed. If that fails, the tools stay and
   * `problems` has the error. A module that exports tool sources is not loaded again. Default: false.
   */
  readonly watch?: boolean;
}

/**
 * The tools that a module exports: tools of `defineTool`, lists of them, and tool sources. Its code runs in this
 * process, with all permissions of the process.
 *
 * @param path of a JavaScript module, or of a TypeScript module whose types Node.js can erase.
 * @returns a source of its tools, and the sources that it exports, when the code of the module has run. Never rejects:
 * if the module cannot be loaded, `ready` of the only source rejects with a `ToolError` (`unavailable`).
 * @example
 * ```ts
 * const registry = new ToolRegistry(await moduleSources("./tools.ts"));
 * ```
 */
export async function moduleSources(
  path: string,
  { id = path, watch = false }: ModuleSourcesOptions = {},
): Promise<readonly ToolSource[]> {
  const files = new Set([resolve(path)]);
  let exported: ExportedTools;
  try {
    exported = await findExportedTools(
      await (watch ? importAnew(path, files) : importModule(path)),
      path,
    );
  } catch (error) {
    return [failedSource(id, error)];
  }
  const { tools, sources } = exported;
  if (sources.length > 0) return tools.length > 0 ? [toolsSource(id, tools), ...sources] : sources;
  return watch ? [new WatchedModule(path, id, tools, files)] : [toolsSource(id, tools)];
}

/** A source without tools, whose loading has failed. */
export function failedSource(id: string, error: unknown): ToolSource {
  const ready = Promise.reject(error as Error);
  // The registry reports it.
  ready.catch(() => {});
  return { ...toolsSource(id, []), ready };
}

/** The tools of a module that is loaded again whenever one of its files changes. */
class WatchedModule implements ToolSource {
  readonly id: string;
  readonly ready: Promise<void> = Promise.resolve();
  readonly trustAnnotations = true;
  readonly #path: string;
  readonly #watch: FileWatch;
  readonly #listeners = new Set<() => void>();
  #tools: readonly Tool[];
  #problem: SourceProblem | undefined;
  #loading: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(path: string, id: string, tools: readonly Tool[], files: Iterable<string>) {
    this.id = id;
    this.#path = path;
    this.#tools = tools;
    this.#watch = new FileWatch(() => {
      this.#loading = this.#loading.then(() => this.#load());
    });
    this.#watch.add(files);
  }

  get problems(): readonly SourceProblem[] {
    return this.#problem === undefined ? [] : [this.#problem];
  }

  tools(): readonly Tool[] {
    return this.#tools;
  }

  onChange(listener: () => void): () => void {
    const added = (): void => listener();
    this.#listeners.add(added);
    return () => void this.#listeners.delete(added);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watch.close();
    this.#listeners.clear();
    this.#tools = [];
    await this.#loading;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Never rejects. */
  async #load(): Promise<void> {
    if (this.#isClosed) return;
    const files = new Set<string>();
    try {
      const { tools, sources } = await findExportedTools(
        await importAnew(this.#path, files),
        this.#path,
      );
      await Promise.allSettled(sources.map((source) => source.close()));
      if (sources.length > 0) throw new ToolError("unavailable", "It exports a tool source now.");
      if (this.#isClosed) return;
      this.#tools = tools;
      this.#problem = undefined;
    } catch (error) {
      const message = `The module has changed and cannot be loaded again, so its tools stay as they were: ${(error as Error).message}`;
      this.#problem = { subject: this.id, message, severity: "warning" };
    }
    if (this.#isClosed) return;
    this.#watch.add(files);
    for (const listener of [...this.#listeners]) listener();
  }
}
