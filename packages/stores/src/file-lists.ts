import { createHash, randomUUID } from "node:crypto";
import { open, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ToolError, type JsonValue } from "@toolweave/core";
import { OwnFolder, exposure, readFlags } from "./private-file.ts";
import { storeError } from "./store-error.ts";

/** The maximum number of tools of one source takes less. */
const maxBytes = 256 * 1024 * 1024;

/** Lists of tools by key, stored from one process to the next: the `cache` of an MCP source. */
export interface FileLists {
  /** The list that was stored last; `undefined`: none, or one that cannot be read. */
  get(key: string): Promise<JsonValue | undefined>;
  set(key: string, list: JsonValue): Promise<void>;
}

/**
 * Stores each list in a file of its own, with mode 0600, in a folder that any number of processes of one machine may
 * share: a process that writes a list determines the tools that a model reads. Writes are atomic; of two concurrent
 * writes one remains. A damaged file counts as missing.
 *
 * Fails with a `ToolError` `store_unavailable` when the disk is full or cannot be written, or the folder was replaced.
 *
 * @param path the folder, of this user alone: made with mode 0700, and rejected if other users have access.
 * @throws ToolError `store_unavailable` if the folder cannot be made or other users have access; `invalid_configuration` without a
 * path.
 */
export function fileLists(path: string): FileLists {
  if (typeof path !== "string" || path === "") {
    throw new ToolError(
      "invalid_configuration",
      `fileLists needs a path: fileLists("tool-lists").`,
    );
  }
  const folder = new OwnFolder(resolve(path));
  const toPath = (key: string): string =>
    join(folder.path, `${createHash("sha256").update(key).digest("hex")}.json`);
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      await folder.assertThere();
      return await work();
    } catch (error) {
      throw storeError(folder.path, error);
    }
  };
  return {
    get: (key) => guarded(() => read(toPath(key))),
    set: (key, list) => guarded(() => write(toPath(key), JSON.stringify(list))),
  };
}

async function read(file: string): Promise<JsonValue | undefined> {
  try {
    const opened = await open(file, readFlags);
    try {
      const stat = await opened.stat();
      // A file that other users can write is no evidence of the server's list.
      const isUsable = stat.isFile() && exposure(stat, 0o600) === undefined;
      if (!isUsable || stat.size > maxBytes) return undefined;
      return JSON.parse(await opened.readFile("utf8")) as JsonValue;
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ELOOP") return undefined;
    throw error;
  }
}

async function write(file: string, json: string): Promise<void> {
  const unfinished = `${file}.${randomUUID()}.unfinished`;
  try {
    await writeFile(unfinished, json, { flag: "wx", mode: 0o600 });
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    throw error;
  }
}
