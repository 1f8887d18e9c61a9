// Publishes every package of the workspace whose version is not yet in the registry: the registry and its
// credentials are those of npm's configuration. `--provenance` signs where a package was built.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packedPackages, type PackedPackage } from "./lib/pack.ts";
import { runCommand } from "./lib/run-command.ts";
import { workspacePackages, type WorkspacePackage } from "./lib/workspace.ts";

const help = `Usage: node scripts/publish.ts [--provenance]

Packs every publishable package and publishes those whose version the registry does not have,
dependencies first. If one fails, run it again: it continues with that package.
`;

/** The packages in an order in which each one comes after those that it depends on. */
function sortByDependencies(packages: readonly WorkspacePackage[]): WorkspacePackage[] {
  const sorted = new Set<WorkspacePackage>();
  const add = (entry: WorkspacePackage): void => {
    for (const name of Object.keys(entry.manifest.dependencies ?? {})) {
      const dependency = packages.find((other) => other.name === name);
      if (dependency !== undefined && dependency !== entry) add(dependency);
    }
    sorted.add(entry);
  };
  packages.forEach(add);
  return [...sorted];
}

async function isPublished(name: string, version: string, cwd: string): Promise<boolean> {
  const args = ["view", `${name}@${version}`, "version", "--json"];
  const { code, stdout, output } = await runCommand("npm", args, { cwd });
  if (code === 0) return stdout.trim() !== "";
  if (output.includes("E404")) return false;
  throw new Error(`npm view ${name}@${version} failed:\n${output}`);
}

async function publish(packed: PackedPackage, cwd: string, provenance: boolean): Promise<void> {
  const args = ["publish", packed.tarball, "--access=public", "--ignore-scripts"];
  if (provenance) args.push("--provenance");
  const { code, output } = await runCommand("npm", args, { cwd });
  if (code !== 0) throw new Error(`npm publish of ${packed.name} failed:\n${output}`);
}

async function main(args: readonly string[]): Promise<number> {
  const unknown = args.filter((argument) => argument !== "--provenance");
  if (unknown.length > 0) {
    process.stdout.write(help);
    return unknown[0] === "--help" ? 0 : 2;
  }
  const root = join(import.meta.dirname, "..");
  const temp = mkdtempSync(join(tmpdir(), "toolweave-publish-"));
  process.once("exit", () => rmSync(temp, { recursive: true, force: true }));
  const packages = workspacePackages(root).filter((entry) => entry.publishable);
  const unversioned = packages.filter(({ manifest }) => manifest.version === "0.0.0");
  if (unversioned.length > 0) {
    throw new Error(`${unversioned[0]?.name} has no version yet: run "changeset version" first.`);
  }
  const tarballs = await packedPackages({ root, temp });
  for (const { name, manifest } of sortByDependencies(packages)) {
    const packed = tarballs.find((entry) => entry.name === name);
    if (packed === undefined) throw new Error(`${name} was not packed.`);
    if (await isPublished(name, manifest.version, temp)) {
      process.stdout.write(`${name}@${manifest.version} is in the registry already\n`);
    } else {
      await publish(packed, temp, args.includes("--provenance"));
      process.stdout.write(`${name}@${manifest.version} published\n`);
    }
  }
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
