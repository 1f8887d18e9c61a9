import { readFile, readdir } from "node:fs/promises";
import { extname, join } from "node:path";
import { ToolError } from "@toolweave/core";
import type { ConsoleFile } from "./page-files.ts";
import { checks } from "@toolweave/core/adapter";

const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * Reads a built page for the option `files`: its `index.html`, and the files of its folder `assets`, whose names contain
 * a hash of their content.
 *
 * @throws ToolError `invalid_configuration` if there is no such page, or for a file of an unknown kind.
 */
export async function readPageFiles(folder: string): Promise<ReadonlyMap<string, ConsoleFile>> {
  checks.filledText.check("readPageFiles: folder", folder);
  try {
    const assets = await readdir(join(folder, "assets"));
    const names = ["index.html", ...assets.map((name) => `assets/${name}`)];
    return new Map(await Promise.all(names.map((name) => readPageFile(folder, name))));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    throw new ToolError("invalid_configuration", `There is no built page in ${folder}.`, { cause });
  }
}

async function readPageFile(folder: string, name: string): Promise<[string, ConsoleFile]> {
  const mediaType = mediaTypes[extname(name)];
  if (mediaType === undefined) {
    throw new ToolError(
      "invalid_configuration",
      `The page has a file of an unknown kind: ${name}.`,
    );
  }
  const bytes = new Uint8Array(await readFile(join(folder, name)));
  return [`/${name}`, { bytes, mediaType, immutable: name !== "index.html" }];
}
