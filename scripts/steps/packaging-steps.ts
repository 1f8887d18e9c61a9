import { packedPackages } from "../lib/pack.ts";
import { getBinFolder, runCommand } from "../lib/run-command.ts";
import type { Step, StepContext, StepResult } from "../lib/step.ts";
import { problemsResult } from "../lib/step.ts";
import { workspacePackages } from "../lib/workspace.ts";

async function eachTarball(
  context: StepContext,
  command: string,
  toArguments: (tarball: string) => string[],
): Promise<StepResult> {
  const problems: string[] = [];
  const packages = await packedPackages(context);
  for (const { name, tarball } of packages) {
    const { code, output } = await runCommand(command, toArguments(tarball), {
      cwd: context.temp,
      binFolder: getBinFolder(context.root),
    });
    if (code !== 0) problems.push(`${name}\n${output}`);
  }
  return problemsResult(problems, `${packages.length} packages`);
}

/** publint over every packed package; a warning fails too. */
export const publintStep: Step = {
  name: "publint",
  summary: "publint: every publishable package, as packed",
  needs: ["build"],
  run: (context) => eachTarball(context, "publint", (tarball) => ["run", tarball, "--strict"]),
};

/** attw over every packed package. */
export const attwStep: Step = {
  name: "attw",
  summary: "attw: the types of every publishable package resolve, as packed (ESM only)",
  needs: ["build"],
  run: (context) =>
    eachTarball(context, "attw", (tarball) => [tarball, "--profile=esm-only", "--format=ascii"]),
};

interface PublishRow {
  readonly name: string;
  readonly files: readonly { readonly path: string }[];
}

function contentProblems({ name, files }: PublishRow): string[] {
  const paths = files.map((file) => file.path);
  const missing = ["LICENSE", "README.md", "package.json"].filter((path) => !paths.includes(path));
  const strange = paths.filter(
    (path) =>
      !/^(?:LICENSE|README\.md|CHANGELOG\.md|package\.json|docs\/.+\.md|(?:dist|src|templates)\/.+)$/.test(
        path,
      ),
  );
  // A renamed source leaves its old build behind; shared and lazy parts (chunks) have no one source, nor has a page.
  const stale = paths.filter((path) => {
    const source = /^dist\/(?!chunks\/|page\/)(.+?)(?:\.d\.ts|\.js)(?:\.map)?$/.exec(path)?.[1];
    return source !== undefined && !paths.includes(`src/${source}.ts`);
  });
  return [
    ...stale.map((path) => `${name} publishes ${path}, which has no source: remove dist and build`),
    ...missing.map((path) => `${name} is published without ${path}`),
    ...(paths.some((path) => path.startsWith("dist/"))
      ? []
      : [`${name} is published without dist`]),
    ...(paths.some((path) => path.startsWith("docs/"))
      ? []
      : [`${name} is published without the pages of the documentation about it`]),
    ...strange.map((path) => `${name} publishes ${path}: see "files" in its package.json`),
  ];
}

/** A publish without the upload: no warning, and the right files in every package. */
export const publishStep: Step = {
  name: "publish",
  summary: "pnpm -r publish --dry-run: no warnings, every package with what it needs and no more",
  needs: ["build"],
  async run({ root }) {
    const { code, stdout, output } = await runCommand(
      "pnpm",
      ["-r", "publish", "--dry-run", "--no-git-checks", "--json"],
      { cwd: root, binFolder: getBinFolder(root) },
    );
    if (code !== 0) return { ok: false, output };
    const rows = JSON.parse(stdout.slice(stdout.indexOf("["))) as PublishRow[];
    const published = new Set(rows.map((row) => row.name));
    const problems = rows.flatMap(contentProblems);
    for (const { name, publishable } of workspacePackages(root)) {
      if (publishable && !published.has(name)) problems.push(`${name} would not be published`);
    }
    // The dry run itself is told as a warning.
    const warnings = output
      .split("\n")
      .filter((line) => /\bWARN\b/.test(line) && !line.includes("(dry run)"));
    return problemsResult([...problems, ...warnings], `${rows.length} packages`);
  },
};
