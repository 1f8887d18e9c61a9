// Builds the package in the current folder: declarations by tsc, modules by Rolldown.
import { spawnSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { bundlePackage, readManifest } from "./lib/bundle-package.ts";

rmSync("dist", { recursive: true, force: true });
const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json", "--emitDeclarationOnly"], {
  stdio: "inherit",
  shell: process.platform === "win32",
});
if (status !== 0) process.exit(status ?? 1);

await bundlePackage(".", "dist");
for (const bin of Object.values(readManifest(".").bin ?? {})) chmodSync(bin, 0o755);
