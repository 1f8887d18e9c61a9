import { binFolderOf, runCommand } from "../lib/run-command.ts";
import type { CommandResult } from "../lib/run-command.ts";
import type { Step, StepContext } from "../lib/step.ts";
import { workspacePackages } from "../lib/workspace.ts";

function tool({ root }: StepContext, command: string, ...args: string[]): Promise<CommandResult> {
  return runCommand(command, args, { cwd: root, binFolder: binFolderOf(root) });
}

/** oxfmt over everything that git does not ignore. */
export const formatStep: Step = {
  name: "format",
  summary: "oxfmt: every file is formatted",
  async run(context) {
    const { code, output } = await tool(context, "oxfmt", "--list-different", ".");
    return { ok: code === 0, output: `Not formatted: run pnpm format\n${output}` };
  },
};

/** oxlint, with the import rules of the workspace. */
export const lintStep: Step = {
  name: "lint",
  summary: "oxlint: correctness, the import rules, no default exports, file names and lengths",
  async run(context) {
    const { code, output } = await tool(context, "oxlint", "--format=unix", ".");
    const warnings = output.match(/\[Warning\//g)?.length ?? 0;
    return { ok: code === 0, output, ...(warnings === 0 ? {} : { note: `${warnings} warnings` }) };
  },
};

/** tsc over the root and every package, on sources. */
export const typesStep: Step = {
  name: "types",
  summary: "tsc: the root's scripts and tests, and every package with its tests",
  async run(context) {
    const folders = [".", ...workspacePackages(context.root).map((entry) => entry.folder)];
    let ok = true;
    // A fault in one package shows in all that import it.
    const lines = new Set<string>();
    for (const folder of folders) {
      const result = await tool(context, "tsc", "--pretty", "false", "-p", folder);
      ok &&= result.code === 0;
      for (const line of result.output.split("\n")) if (line !== "") lines.add(line);
    }
    return { ok, output: [...lines].join("\n"), note: `${folders.length} projects` };
  },
};

/** vitest's type tests: packages/*\/test/**\/*.test-d.ts. */
export const typeTestsStep: Step = {
  name: "type-tests",
  summary: "vitest --typecheck: packages/*/test/**/*.test-d.ts",
  async run(context) {
    const { code, output } = await tool(context, "vitest", "run", "--typecheck.only");
    const count = /Tests\s+(?:\d+ failed \| )?(\d+) passed/.exec(output)?.[1];
    return { ok: code === 0, output, ...(count === undefined ? {} : { note: `${count} tests` }) };
  },
};

/** turbo over the packages' own builds. */
export const buildStep: Step = {
  name: "build",
  summary: "turbo run build: every package into its dist folder",
  async run(context) {
    const { code, output } = await tool(
      context,
      "turbo",
      "run",
      "build",
      "--output-logs=errors-only",
      "--continue=dependencies-successful",
    );
    return { ok: code === 0, output };
  },
};

/** knip: what nobody uses. */
export const knipStep: Step = {
  name: "knip",
  summary: "knip: no unused file, export or dependency, none undeclared",
  async run(context) {
    const { code, output } = await tool(context, "knip", "--no-progress", "--no-config-hints");
    return { ok: code === 0, output };
  },
};

/** size-limit with the limits in .size-limit.json. */
export const sizeStep: Step = {
  name: "size",
  summary: "size-limit: core's main entry stays below the limits in .size-limit.json",
  needs: ["build"],
  async run(context) {
    const { code, stdout, output } = await tool(context, "size-limit", "--json");
    if (code !== 0 && !stdout.trimStart().startsWith("[")) return { ok: false, output };
    const rows = JSON.parse(stdout) as { name: string; size: number; passed: boolean }[];
    const sizes = rows.map((row) => `${row.name} ${(row.size / 1000).toFixed(1)} kB`);
    return { ok: code === 0, output, note: sizes.join(", ") };
  },
};
