import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** The files that a browser loads for the first screen, in bytes after gzip. */
export interface FirstLoad {
  readonly script: number;
  readonly style: number;
  /** All files together, with those of later screens. */
  readonly all: number;
}

/** The limits of a first load, in bytes after gzip. */
export const firstLoadLimits: FirstLoad = { script: 45_000, style: 8_000, all: 200_000 };

interface ManifestChunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly css?: readonly string[];
  /** Chunks that are loaded with this one. */
  readonly imports?: readonly string[];
}

/** Measures the built page in a folder. */
export function firstLoad(folder: string): FirstLoad {
  const text = readFileSync(join(folder, ".vite/manifest.json"), "utf8");
  const manifest = JSON.parse(text) as Record<string, ManifestChunk>;
  const size = (files: Iterable<string>): number =>
    [...files]
      .map((file) => gzipSync(readFileSync(join(folder, file))).length)
      .reduce((sum, each) => sum + each, 0);
  const open = Object.values(manifest).filter(({ isEntry }) => isEntry === true);
  const loaded = new Set<ManifestChunk>();
  for (let chunk = open.pop(); chunk !== undefined; chunk = open.pop()) {
    if (loaded.has(chunk)) continue;
    loaded.add(chunk);
    for (const key of chunk.imports ?? []) {
      const imported = manifest[key];
      if (imported !== undefined) open.push(imported);
    }
  }
  const chunks = [...loaded];
  const all = Object.values(manifest).flatMap(({ file, css = [] }) => [file, ...css]);
  return {
    script: size(new Set(chunks.map(({ file }) => file))),
    style: size(new Set(chunks.flatMap(({ css = [] }) => css))),
    all: size(new Set(all)),
  };
}
