import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { installedNames, workspacePackages } from "./workspace.ts";

/** What git tracks or would track, relative to the root. */
function sourceFiles(root: string): string[] {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listed = execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
  return listed.split("\0").filter((file) => file !== "" && existsSync(join(root, file)));
}

/**
 * Copies the workspace's sources into an empty folder where every check runs. Its packages resolve
 * each other; their dependencies are links to the original's, one by one, so that nothing that
 * happens in the copy, an install even, can write into the original.
 */
export function copyTree(root: string, target: string): void {
  for (const file of sourceFiles(root)) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    cpSync(join(root, file), join(target, file), { verbatimSymlinks: true });
  }
  const packages = workspacePackages(root);
  const own = new Map(packages.map(({ name, folder }) => [name, join(target, folder)]));
  for (const folder of ["", ...packages.map((entry) => entry.folder)]) {
    const installed = join(root, folder, "node_modules");
    for (const name of installedNames(installed)) {
      const path = join(target, folder, "node_modules", name);
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(own.get(name) ?? realpathSync(join(installed, name)), path);
    }
  }
  const programs = join(root, "node_modules/.bin");
  mkdirSync(join(target, "node_modules/.bin"));
  for (const name of readdirSync(programs)) {
    const text = `#!/bin/sh\nexec '${join(programs, name)}' "$@"\n`;
    writeFileSync(join(target, "node_modules/.bin", name), text, { mode: 0o755 });
  }
}
