import { readFile, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import type { ConsoleFile } from "@toolweave/console";
import { UsageError } from "../../process/exit-code.ts";

const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * Reads the page that was built into this package.
 *
 * @throws UsageError if the package was not built.
 */
export async function readPage(): Promise<ReadonlyMap<string, ConsoleFile>> {
  // By name: where this file lies differs between the sources and a build.
  const manifest = createRequire(import.meta.url).resolve("toolweave/package.json");
  const folder = join(dirname(manifest), "dist/page");
  try {
    const assets = await readdir(join(folder, "assets"));
    const files = await Promise.all([
      readPageFile(folder, "index.html", "text/html; charset=utf-8", false),
      ...assets.map((name) =>
        readPageFile(folder, `assets/${name}`, mediaTypes[extname(name)] ?? "", true),
      ),
    ]);
    return new Map(files);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    throw new UsageError("The page is not built: run `pnpm build` in the repository first.");
  }
}

async function readPageFile(
  folder: string,
  path: string,
  mediaType: string,
  immutable: boolean,
): Promise<[string, ConsoleFile]> {
  const bytes = new Uint8Array(await readFile(join(folder, path)));
  return [`/${path}`, { bytes, mediaType, immutable }];
}
