import { getBinFolder, runCommand } from "../lib/run-command.ts";
import type { CommandResult } from "../lib/run-command.ts";
import type { Step, StepContext } from "../lib/step.ts";

function tool({ root }: StepContext, command: string, ...args: string[]): Promise<CommandResult> {
  return runCommand(command, args, { cwd: root, binFolder: getBinFolder(root) });
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
  // Imports of packages are followed to what the build writes.
  needs: ["build"],
  summary: "oxlint: correctness, the import rules, no default exports, file names and lengths",
  async run(context) {
    const { code, output } = await tool(context, "oxlint", "--format=unix", ".");
    const warnings = output.match(/\[Warning\//g)?.length ?? 0;
    return { ok: code === 0, output, ...(warnings === 0 ? {} : { note: `${warnings} warnings` }) };
  },
};

/**
 * tsc over the whole workspace as one program, so that every file is read and checked once. The page of Studio is a second
 * one: it has the libraries of a browser, and JSX.
 */
export const typesStep: Step = {
  name: "types",
  summary: "tsc: every source, test, type test and script of the workspace, and the page of Studio",
  async run(context) {
    const results = [];
    for (const project of [".", "apps/studio"]) {
      results.push(await tool(context, "tsc", "--pretty", "false", "-p", project));
    }
    return {
      ok: results.every(({ code }) => code === 0),
      output: results.map(({ output }) => output).join(""),
    };
  },
};

/** turbo over the packages' own builds. The site of the documentation takes a minute: the full tests build it. */
export const buildStep: Step = {
  name: "build",
  summary: "turbo run build: every package into its dist folder",
  async run(context) {
    const { code, output } = await tool(
      context,
      "turbo",
      "run",
      "build",
      "--filter=!@toolweave/docs",
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
