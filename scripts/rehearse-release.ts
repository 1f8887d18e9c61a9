// Rehearses a release: versions, builds, packs and publishes a copy of this commit to a registry on loopback, and runs
// every install line of the pages against it. Caches, configuration and home are in a temporary folder.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "./lib/run-command.ts";
import { Consumer } from "./rehearsal/consumer.ts";
import { startExampleHost } from "./rehearsal/example-host.ts";
import { startRegistry } from "./rehearsal/local-registry.ts";
import {
  measureSizes,
  rehearseLines,
  rehearseManagers,
  rehearseTemplates,
} from "./rehearsal/parts.ts";
import { localPackages, publishCopy } from "./rehearsal/publish-copy.ts";

const parts = {
  templates: rehearseTemplates,
  sizes: measureSizes,
  lines: rehearseLines,
  managers: rehearseManagers,
} as const;
type Part = keyof typeof parts;

const help = `Usage: node scripts/rehearse-release.ts [part…]

Publishes a copy of this commit to a registry on loopback, as a release does, and installs from
there. Third-party packages come from the registry that npm is configured with.

  templates  creates a project of each template of create-toolweave, and runs its tests
  sizes      measures the installations of core with openapi, and of the command line
  lines      runs every line of the READMEs and docs that begins with npm install, npm create or npx
  managers   installs all packages with npm, pnpm, yarn 1 and yarn 4; with Node.js 20.0 and 22.18,
             each package says which version it needs

Without a part it does all of them. It takes about ten minutes on an idle machine. Exits 1 if a command failed.
`;

async function rehearse(chosen: readonly Part[]): Promise<number> {
  const root = join(import.meta.dirname, "..");
  const temp = mkdtempSync(join(tmpdir(), "toolweave-rehearsal-"));
  process.once("exit", () => rmSync(temp, { recursive: true, force: true, maxRetries: 5 }));
  const configured = await runCommand("npm", ["config", "get", "registry"], { cwd: root });
  const registry = await startRegistry({
    folder: join(temp, "registry"),
    uplink: configured.stdout.trim(),
    localPackages: [...localPackages(root), "my-mcp-server"],
  });
  const host = await startExampleHost();
  try {
    const consumer = new Consumer({ temp, registry: registry.url, env: host.env });
    const packages = await publishCopy({ root, temp, consumer });
    // The pages are those of the copy, too.
    const release = { root: join(temp, "copy"), consumer, packages };
    for (const part of chosen) await parts[part](release);
    const failed = consumer.rows.filter((row) => row.code !== 0);
    process.stdout.write(
      `rehearsal: ${consumer.rows.length - failed.length} passed, ${failed.length} failed\n`,
    );
    return failed.length === 0 ? 0 : 1;
  } finally {
    host.close();
    registry.close();
  }
}

const names = process.argv.slice(2);
if (names.every((name): name is Part => Object.hasOwn(parts, name))) {
  process.exitCode = await rehearse(names.length === 0 ? (Object.keys(parts) as Part[]) : names);
} else {
  process.stdout.write(help);
  process.exitCode = names.includes("--help") ? 0 : 2;
}
