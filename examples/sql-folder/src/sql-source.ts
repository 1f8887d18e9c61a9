import { readdir, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";

import { ToolError } from "@toolweave/core";
import {
  compareNames,
  loadedSource,
  snakeName,
  uniqueNames,
  type LoadedSource,
  type LoadedTools,
  type SourceProblem,
} from "@toolweave/core/adapter";

import { QueryProcesses } from "./query-processes.ts";
import { queryTool, type QueryHost } from "./query-tool.ts";
import { readQuery, type SqlQuery } from "./read-query.ts";

/**
 * Every `.sql` file of a folder as a tool. Returns at once and loads in the background; `ready`
 * rejects with a `ToolError` `unavailable` if the folder cannot be read. A file that cannot be a
 * tool is reported in `problems`. `refresh` reads the folder again; an unchanged file stays the
 * same tool.
 *
 * @param folder the folder of the files.
 * @param database their SQLite file.
 */
export function sqlSource(folder: string, database: string): LoadedSource {
  const id = `sql:${basename(resolve(folder))}`;
  const processes = new QueryProcesses(resolve(database));
  const host: QueryHost = { source: id, database: resolve(database), processes };
  return loadedSource({
    id,
    load: () => readFolder(resolve(folder), host),
    // The files are the host's own, and read-only ones cannot write.
    trustAnnotations: true,
    close: () => processes.close(),
  });
}

async function readFolder(folder: string, host: QueryHost): Promise<LoadedTools> {
  const problems: SourceProblem[] = [];
  const queries: { file: string; text: string; query: SqlQuery }[] = [];
  for (const [file, text] of await readTexts(folder, host.source)) {
    try {
      queries.push({ file, text, query: readQuery(text) });
    } catch (error) {
      problems.push({ subject: file, message: (error as Error).message });
    }
  }
  const wished = queries.map(({ file, query }) => query.name ?? basename(file, ".sql"));
  const names = uniqueNames(wished, snakeName);
  const tools = queries.map(({ file, text, query }, at) => {
    const name = names[at] as string;
    return queryTool({ name, file, fingerprint: `${name}\n${file}\n${text}`, query }, host);
  });
  return { tools: tools.sort((a, b) => compareNames(a.spec.name, b.spec.name)), problems };
}

async function readTexts(folder: string, source: string): Promise<[file: string, text: string][]> {
  try {
    const files = (await readdir(folder)).filter((file) => file.endsWith(".sql")).sort();
    return await Promise.all(
      files.map(async (file): Promise<[string, string]> => {
        return [file, await readFile(join(folder, file), "utf8")];
      }),
    );
  } catch (cause) {
    throw new ToolError("unavailable", `The folder of ${source} cannot be read.`, { cause });
  }
}
