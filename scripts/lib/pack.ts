import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { getBinFolder, runCommand } from "./run-command.ts";
import type { StepContext } from "./step.ts";
import { workspacePackages } from "./workspace.ts";

/** The tarball of one publishable package. */
export interface PackedPackage {
  readonly name: string;
  /** Absolute path. */
  readonly tarball: string;
}

const packed = new Map<string, Promise<PackedPackage[]>>();

async function packAll({ root, temp }: StepContext): Promise<PackedPackage[]> {
  const names = workspacePackages(root).filter((entry) => entry.publishable);
  const { code, stdout, output } = await runCommand(
    "pnpm",
    [
      ...names.map((entry) => `--filter=${entry.name}`),
      "pack",
      "--json",
      `--pack-destination=${mkdtempSync(join(temp, "packed-"))}`,
    ],
    { cwd: root, binFolder: getBinFolder(root) },
  );
  if (code !== 0) throw new Error(`pnpm pack failed:\n${output}`);
  const rows = JSON.parse(stdout) as { name: string; filename: string }[];
  return rows.map((row) => ({ name: row.name, tarball: row.filename }));
}

/** Every publishable package, packed as it would be published; once per check, outside the workspace. */
export function packedPackages(context: StepContext): Promise<PackedPackage[]> {
  let result = packed.get(context.temp);
  if (result === undefined) {
    result = packAll(context);
    packed.set(context.temp, result);
  }
  return result;
}
