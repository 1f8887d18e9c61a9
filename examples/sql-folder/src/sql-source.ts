import { readdir, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";

import {
  compareNames,
  snakeName,
  ToolError,
  uniqueNames,
  type SourceProblem,
  type Tool,
  type ToolSource,
} from "@toolweave/core";

import { QueryProcesses } from "./query-processes.ts";
import { queryTool, type QueryHost } from "./query-tool.ts";
import { readQuery, type SqlQuery } from "./read-query.ts";

/** The queries of a folder as tools. */
export interface SqlSource extends ToolSource {
  /** Reads the folder again. A file that has not changed stays the same tool. */
  refresh(): Promise<void>;
}

/**
 * Every `.sql` file of a folder as a tool. Returns at once and reads; `ready` rejects with a
 * `ToolError` `unavailable` when the folder cannot be read. A file that cannot be a tool is named in
 * `problems`.
 *
 * @param folder where the files are.
 * @param database the SQLite file that they are for.
 */
export function sqlSource(folder: string, database: string): SqlSource {
  return new FolderSource(resolve(folder), resolve(database));
}

class FolderSource implements SqlSource {
  readonly id: string;
  readonly ready: Promise<void>;
  // The files are the host's own, and read-only ones cannot write.
  readonly trustAnnotations = true;
  readonly #folder: string;
  readonly #processes: QueryProcesses;
  readonly #host: QueryHost;
  readonly #listeners = new Set<() => void>();
  #tools: readonly Tool[] = [];
  #problems: readonly SourceProblem[] = [];
  #reading: Promise<void>;
  #closed = false;

  constructor(folder: string, database: string) {
    this.id = `sql:${basename(folder)}`;
    this.#folder = folder;
    this.#processes = new QueryProcesses(database);
    this.#host = { source: this.id, database, processes: this.#processes };
    this.ready = this.#read();
    // Whoever awaits it hears of a failure; nobody has to.
    this.#reading = this.ready.catch(() => {});
  }

  get problems(): readonly SourceProblem[] {
    return this.#problems;
  }

  tools(): readonly Tool[] {
    return this.#tools;
  }

  onChange(listener: () => void): () => void {
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  refresh(): Promise<void> {
    // One after the other, so that an older list never replaces a newer one.
    const read = this.#reading.then(() => this.#read());
    this.#reading = read.catch(() => {});
    return read;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    await Promise.all([this.#processes.close(), this.#reading]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #read(): Promise<void> {
    const problems: SourceProblem[] = [];
    const queries: { file: string; text: string; query: SqlQuery }[] = [];
    for (const [file, text] of await this.#files()) {
      try {
        queries.push({ file, text, query: readQuery(text) });
      } catch (error) {
        problems.push({ subject: file, message: (error as Error).message });
      }
    }
    if (this.#closed) return;
    const wished = queries.map(({ file, query }) => query.name ?? basename(file, ".sql"));
    const names = uniqueNames(wished, snakeName);
    const before = new Map(this.#tools.map((tool) => [tool.fingerprint, tool]));
    const tools = queries.map(({ file, text, query }, at) => {
      const name = names[at] as string;
      const fingerprint = `${name}\n${file}\n${text}`;
      return before.get(fingerprint) ?? queryTool({ name, file, fingerprint, query }, this.#host);
    });
    this.#problems = problems;
    this.#tools = tools.sort((a, b) => compareNames(a.spec.name, b.spec.name));
    if (tools.length === before.size && tools.every((tool) => before.has(tool.fingerprint))) return;
    for (const listener of [...this.#listeners]) {
      try {
        listener();
      } catch {
        // One that throws keeps nobody from hearing it.
      }
    }
  }

  async #files(): Promise<[file: string, text: string][]> {
    try {
      const files = (await readdir(this.#folder)).filter((file) => file.endsWith(".sql")).sort();
      return await Promise.all(
        files.map(async (file): Promise<[string, string]> => {
          return [file, await readFile(join(this.#folder, file), "utf8")];
        }),
      );
    } catch (cause) {
      throw new ToolError("unavailable", `The folder of ${this.id} cannot be read.`, { cause });
    }
  }
}
