import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Plugin } from "rolldown";
import { bundlePrograms, type Bundle } from "../cluster/bundle.ts";

/** The last commit whose tables have version 1. */
const formerCommit = "ee501405942b7afcbda348c3fe72a9c05c562f0e";
const root = join(import.meta.dirname, "../../..");

/** Whether the history of the repository has the former version; a shallow clone has not. */
export function hasFormerVersion(): boolean {
  return git(["cat-file", "-e", `${formerCommit}^{commit}`]).status === 0;
}

/** Bundles the present worker with all packages of the former version. */
export async function bundleFormerVersion(): Promise<Bundle> {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-chaos-former-"));
  try {
    const archive = git([
      "archive",
      "--format=tar",
      formerCommit,
      "packages",
      "tsconfig.base.json",
    ]);
    const unpacked = spawnSync("tar", ["-x", "-C", folder], { input: archive.stdout });
    if (archive.status !== 0 || unpacked.status !== 0) {
      throw new Error(`The former version cannot be unpacked: ${String(archive.stderr)}`);
    }
    return await bundlePrograms(undefined, [formerPackages(folder)]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function git(args: readonly string[]) {
  return spawnSync("git", [...args], { cwd: root, maxBuffer: 2 ** 30 });
}

/** Resolves the packages of the workspace to a folder with their former sources, and others as their present sources do. */
function formerPackages(folder: string): Plugin {
  return {
    name: "former-packages",
    resolveId(id, importer) {
      const [, name, subpath = ""] = /^@toolweave\/([^/]+)(\/.*)?$/.exec(id) ?? [];
      if (name !== undefined) {
        const path = join(folder, "packages", name);
        // A package that is newer is not loaded by a worker of the former version.
        if (!existsSync(path)) return { id, external: true };
        const { exports } = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as {
          readonly exports: Readonly<Record<string, { readonly "@toolweave/source": string }>>;
        };
        const target = exports[`.${subpath}`]?.["@toolweave/source"];
        if (target === undefined) throw new Error(`The former version has no ${id}.`);
        return join(path, target);
      }
      const isOfOthers = !id.startsWith(".") && !id.startsWith("/") && !id.startsWith("node:");
      if (!isOfOthers || importer?.startsWith(folder) !== true) return undefined;
      return this.resolve(id, join(root, importer.slice(folder.length)), { skipSelf: true });
    },
  };
}
