// Builds the package in the current folder: declarations by tsc, one file per entry (and per lazily
// loaded part) by esbuild. A process that imports sixty small modules pays for each of them.
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync } from "node:fs";
import { build } from "esbuild";

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly "@toolweave/source"?: string }>>;
  readonly bin?: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const entries = Object.values(manifest.exports).flatMap((target) =>
  typeof target === "string" ? [] : [target["@toolweave/source"] ?? []].flat(),
);

rmSync("dist", { recursive: true, force: true });
const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json", "--emitDeclarationOnly"], {
  stdio: "inherit",
  shell: process.platform === "win32",
});
if (status !== 0) process.exit(status ?? 1);

await build({
  entryPoints: entries,
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "neutral",
  target: "es2022",
  packages: "external",
  external: ["node:*"],
  sourcemap: true,
  sourcesContent: false,
  chunkNames: "chunks/[name]-[hash]",
  logLevel: "warning",
});
for (const bin of Object.values(manifest.bin ?? {})) chmodSync(bin, 0o755);
