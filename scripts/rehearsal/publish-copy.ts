import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { getBinFolder, runCommand } from "../lib/run-command.ts";
import { workspacePackages, type WorkspacePackage } from "../lib/workspace.ts";
import type { Consumer } from "./consumer.ts";
import { copyServerPackage } from "./example-host.ts";

/** The names of the packages that a release publishes. */
export function localPackages(root: string): string[] {
  return workspacePackages(root)
    .filter((entry) => entry.publishable)
    .map((entry) => entry.name);
}

async function runStep(
  cwd: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<void> {
  const start = performance.now();
  const { code, output } = await runCommand(command, args, {
    cwd,
    env,
    binFolder: getBinFolder(cwd),
  });
  const line = [command, ...args].join(" ");
  if (code !== 0) throw new Error(`${line} failed:\n${output}`);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(`${`${seconds} s`.padStart(16)}  release  ${line}\n`);
}

/** Where a release is rehearsed. */
export interface CopyOptions {
  readonly root: string;
  readonly temp: string;
  readonly consumer: Consumer;
}

/**
 * Does the commands of a release in a clone of the workspace: new versions, build and publication. Changes that are not
 * committed are not part of it.
 *
 * @returns the published packages, with their versions.
 */
export async function publishCopy(options: CopyOptions): Promise<readonly WorkspacePackage[]> {
  const { root, temp, consumer } = options;
  const copy = join(temp, "copy");
  await runStep(root, "git", ["clone", "--quiet", "--no-hardlinks", root, copy]);
  // The packages of the workspace come from pnpm's store of this machine.
  await runStep(root, "pnpm", ["-C", copy, "install", "--frozen-lockfile", "--prefer-offline"]);
  await runStep(copy, "changeset", ["version"]);
  await runStep(copy, "turbo", ["run", "build", "--output-logs=errors-only"]);
  await runStep(copy, "node", ["scripts/publish.ts"], consumer.env);
  const server = join(temp, "my-mcp-server");
  mkdirSync(server);
  copyServerPackage(server);
  await runStep(server, "npm", ["publish"], consumer.env);
  const packages = workspacePackages(copy).filter((entry) => entry.publishable);
  for (const { name, folder } of packages) {
    const log = readFileSync(join(copy, folder, "CHANGELOG.md"), "utf8");
    if (!log.startsWith(`# ${name}\n`)) throw new Error(`${name} has no changelog.`);
  }
  return packages;
}
