// Node needs more than a millisecond for each file that it imports, so all that the main entry of a package imports is
// one file, which the other entries share. What loads lazily is a file of its own, and so is what a small entry needs.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { rolldown, type ChunkingContext, type CodeSplittingGroup } from "rolldown";

/** The part of a package.json that a build reads. */
interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly "@toolweave/source"?: string }>>;
  readonly bin?: Readonly<Record<string, string>>;
}

/** Reads the package.json of a folder. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/** Writes the modules of the package in `folder` to `dist`, without declarations. */
export async function bundlePackage(folder: string, dist: string): Promise<void> {
  const entries = Object.values(readManifest(folder).exports).flatMap((target) =>
    typeof target === "string" ? [] : [target["@toolweave/source"] ?? []].flat(),
  );
  const [mainEntry, ...otherEntries] = entries;
  if (mainEntry === undefined) throw new Error("package.json has no entry with a source.");
  const bundle = await rolldown({
    input: Object.fromEntries(
      entries.map((source) => [source.replace(/^\.\/src\/|\.ts$/g, ""), resolve(folder, source)]),
    ),
    cwd: resolve(folder),
    platform: "node",
    // All packages, except the helpers that Rolldown has for syntax which is newer than the target.
    external: (id) => !/^(?:[./\0]|[A-Za-z]:[/\\]|@oxc-project\/runtime\/)/.test(id),
    transform: { target: "es2022" },
    // It throws below Node.js 22.19, although the packages are marked as free of side effects.
    treeshake: { moduleSideEffects: [{ test: /[/\\]node-version\.ts$/, sideEffects: true }] },
  });
  const { output } = await bundle.write({
    dir: dist,
    format: "esm",
    sourcemap: true,
    sourcemapExcludeSources: true,
    // Not minified: Node prints the line that throws, and with it whatever the line holds. Docstrings are in the declarations.
    comments: { jsdoc: false },
    chunkFileNames: "chunks/[name]-[hash].js",
    codeSplitting: {
      groups: [
        ...otherEntries.map((entry) => smallGroup(resolve(folder, entry))),
        mainGroup(resolve(folder, mainEntry), entries.length),
      ],
    },
  });
  await bundle.close();
  for (const { type, fileName } of output) if (type === "chunk") toAscii(join(dist, fileName));
}

/** Writes characters of texts and patterns as escapes: one beyond Latin-1 makes V8 read the whole file as UTF-16. */
function toAscii(path: string): void {
  const code = readFileSync(path, "utf8");
  const ascii = code.replace(/[^\0-\x7f]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  if (ascii !== code) writeFileSync(path, ascii);
}

/** An entry with at most this number of modules, itself included, does not load the main chunk. */
const maxSmallModules = 3;

/** A chunk for all that an entry imports, if that is little. */
function smallGroup(entry: string): CodeSplittingGroup {
  let modules: ReadonlySet<string> | undefined;
  return {
    name(id, context) {
      modules ??= staticImports(entry, context);
      const isSmall = modules.size <= maxSmallModules && id !== entry && modules.has(id);
      return isSmall ? basename(entry, ".ts") : null;
    },
  };
}

/**
 * One chunk for all that the main entry imports, unless there is nothing else to share it with. The entry itself is not
 * in it: a lazy chunk that imports the shared one would wait for the entry, which waits for the lazy chunk.
 */
function mainGroup(entry: string, entryCount: number): CodeSplittingGroup {
  let modules: ReadonlySet<string> | undefined;
  return {
    debugName: "main",
    name(id, context) {
      modules ??= staticImports(entry, context);
      const isShared =
        entryCount > 1 ||
        Array.from(modules).some(
          (module) => context.getModuleInfo(module)?.dynamicallyImportedIds.length,
        );
      return isShared && id !== entry && modules.has(id) ? "main" : null;
    },
  };
}

/** The module and all that it imports statically, directly or not. */
function staticImports(module: string, context: ChunkingContext): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (id: string): void => {
    const info = found.has(id) ? null : context.getModuleInfo(id);
    if (info === null) return;
    found.add(id);
    info.importedIds.forEach(visit);
  };
  visit(module);
  return found;
}
