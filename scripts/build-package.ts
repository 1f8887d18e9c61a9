// Builds the package in the current folder: declarations by tsc, modules by Rolldown. Node needs more
// than a millisecond for each file that it imports, so all that the main entry imports is one file, which
// the other entries share. What loads lazily is a file of its own.
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { rolldown, type ChunkingContext, type CodeSplittingGroup } from "rolldown";

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly "@toolweave/source"?: string }>>;
  readonly bin?: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const entries = Object.values(manifest.exports).flatMap((target) =>
  typeof target === "string" ? [] : [target["@toolweave/source"] ?? []].flat(),
);
const [mainEntry] = entries;
if (mainEntry === undefined) throw new Error("package.json has no entry with a source.");

rmSync("dist", { recursive: true, force: true });
const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json", "--emitDeclarationOnly"], {
  stdio: "inherit",
  shell: process.platform === "win32",
});
if (status !== 0) process.exit(status ?? 1);

const bundle = await rolldown({
  input: Object.fromEntries(
    entries.map((source) => [source.replace(/^\.\/src\/|\.ts$/g, ""), source]),
  ),
  platform: "node",
  // All packages, except the helpers that Rolldown has for syntax which is newer than the target.
  external: (id) => !/^(?:[./\0]|[A-Za-z]:[/\\]|@oxc-project\/runtime\/)/.test(id),
  transform: { target: "es2022" },
  // It throws below Node.js 22.19, although the packages are marked as free of side effects.
  treeshake: { moduleSideEffects: [{ test: /[/\\]node-version\.ts$/, sideEffects: true }] },
});
await bundle.write({
  dir: "dist",
  format: "esm",
  sourcemap: true,
  sourcemapExcludeSources: true,
  // Readers of a stack trace find names; readers of the source find it in `src`, through the source map.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  chunkFileNames: "chunks/[name]-[hash].js",
  codeSplitting: { groups: [mainGroup(resolve(mainEntry))] },
});
await bundle.close();
for (const bin of Object.values(manifest.bin ?? {})) chmodSync(bin, 0o755);

/** One chunk for the main entry and all that it imports, unless there is nothing else to share it with. */
function mainGroup(entry: string): CodeSplittingGroup {
  let modules: ReadonlySet<string> | undefined;
  return {
    debugName: "main",
    name(id, context) {
      modules ??= staticImports(entry, context);
      const isShared =
        entries.length > 1 ||
        Array.from(modules).some(
          (module) => context.getModuleInfo(module)?.dynamicallyImportedIds.length,
        );
      return isShared && modules.has(id) ? "main" : null;
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
