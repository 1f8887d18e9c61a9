import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { followGuide } from "../lib/follow-guide.ts";
import { packedPackages, type PackedPackage } from "../lib/pack.ts";
import { getBinFolder, runCommand } from "../lib/run-command.ts";
import type { Step } from "../lib/step.ts";
import { problemsResult } from "../lib/step.ts";
import { workspacePackages, type WorkspacePackage } from "../lib/workspace.ts";

/** Followed here, and not block by block: its blocks are files of one adapter. */
export const guidePage = "docs/guides/write-an-adapter.md";

/** The tarballs of a package and of what it depends on in the workspace; what is none of ours stays. */
function listTarballs(
  name: string,
  packages: readonly WorkspacePackage[],
  packed: readonly PackedPackage[],
  seen: Set<string> = new Set(),
): string[] {
  const tarball = packed.find((entry) => entry.name === name)?.tarball;
  if (tarball === undefined) return [name];
  if (seen.has(name)) return [];
  seen.add(name);
  const { dependencies = {} } = packages.find((entry) => entry.name === name)?.manifest ?? {};
  const own = Object.keys(dependencies).filter((other) => packed.some((one) => one.name === other));
  return [tarball, ...own.flatMap((other) => listTarballs(other, packages, packed, seen))];
}

const consumer = {
  compilerOptions: {
    strict: true,
    target: "es2022",
    module: "nodenext",
    lib: ["es2023", "esnext.disposable"],
    types: ["node"],
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    noEmit: true,
  },
  include: ["*.ts"],
};

/** The adapter guide, followed to the letter outside the workspace, with packages as they are published. */
export const guideStep: Step = {
  name: "guide",
  summary: `${guidePage}: what it says is done in an empty folder, with packed packages, and comes out so`,
  needs: ["build"],
  async run(context) {
    const { root, temp } = context;
    const folder = mkdtempSync(join(temp, "guide-"));
    const binFolder = getBinFolder(root);
    const packages = workspacePackages(root);
    const packed = await packedPackages(context);
    const problem = await followGuide(readFileSync(join(root, guidePage), "utf8"), {
      folder,
      binFolder,
      commandFor: ([program = "", ...args]) => {
        if (program !== "npm" || args[0] !== "install") return [program, ...args];
        const given = args.flatMap((word) => listTarballs(word, packages, packed));
        return [program, ...given, "--no-audit", "--no-fund", "--prefer-offline"];
      },
    });
    if (problem !== undefined) return problemsResult([`${guidePage} ${problem}`], "");
    // The reader's editor sees the types of the packages: they fit without `skipLibCheck`.
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(consumer));
    const types = await runCommand("npm", ["install", "--save-dev", "@types/node@22"], {
      cwd: folder,
      binFolder,
    });
    if (types.code !== 0) return { ok: false, output: types.output };
    const { code, output } = await runCommand("tsc", ["-p", "."], { cwd: folder, binFolder });
    return { ok: code === 0, output, note: `${packed.length} packages` };
  },
};
