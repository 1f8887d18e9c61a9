import { mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { exportSkills, type ExportedSkill, type Finding } from "@toolweave/markdown";
import { Interrupt, type CliIo } from "../../process/cli-io.ts";
import { exitCode, UsageError } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { formatCount, safeJson, safeLine } from "../../render/text.ts";
import { readTextFile } from "../shared/json-file.ts";
import { writeError, writeTextFile } from "../shared/write-file.ts";

/** The options of `toolweave export`. */
export interface ExportOptions {
  readonly skill: true;
  readonly output: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** A skill, and the files in which it differs from the folder. */
interface PlannedSkill {
  readonly skill: ExportedSkill;
  readonly folder: string;
  /** Paths of files that do not exist. */
  readonly added: readonly string[];
  /** Paths of files that have other texts. */
  readonly different: readonly string[];
}

/** `toolweave export --skill`: writes tools as Agent Skills. Nothing is replaced without `--force`. */
export async function exportToSkills(
  paths: readonly string[],
  options: ExportOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const { skills, findings } = await readAll(paths);
  for (const finding of findings) output.printMessage(describe(finding));
  if (io.signal.aborted) throw new Interrupt();
  const plan = skills.map((skill) => toPlan(skill, options.output));
  const conflicts = plan.flatMap(({ folder, different }) =>
    different.map((path) => join(folder, path)),
  );
  if (conflicts.length > 0 && options.force !== true) {
    const files = conflicts.map((path) => `  ${safeLine(path)}`).join("\n");
    output.printMessage(
      `toolweave: Nothing is written: ${formatCount(conflicts.length, "file")} would be replaced. Use --force, or another --output.\n${files}`,
    );
    return exitCode.toolError;
  }
  for (const one of plan) await write(one);
  if (options.json === true)
    await output.write(`${safeJson(JSON.stringify(toJson(plan, findings)))}\n`);
  else {
    for (const { folder, added, different } of plan) {
      const isChanged = added.length + different.length > 0;
      await output.write(`${safeLine(folder)}${isChanged ? "" : " is up to date"}\n`);
    }
  }
  const hasError = findings.some(({ severity }) => severity === "error");
  return hasError ? exitCode.toolError : exitCode.completed;
}

/** Reads all paths. Of two skills of one name the second one is an error. */
async function readAll(
  paths: readonly string[],
): Promise<{ readonly skills: readonly ExportedSkill[]; readonly findings: readonly Finding[] }> {
  const skills = new Map<string, { readonly skill: ExportedSkill; readonly path: string }>();
  const findings: Finding[] = [];
  for (const path of paths) {
    const read = await exportSkills(resolve(path)).catch((cause: unknown) => {
      const code = (cause as NodeJS.ErrnoException).code ?? "unknown reason";
      throw new UsageError(`${safeLine(path)} cannot be read (${code}).`, { cause });
    });
    findings.push(...read.findings);
    for (const skill of read.skills) {
      const first = skills.get(skill.name);
      if (first === undefined) skills.set(skill.name, { skill, path });
      else {
        findings.push({
          file: path,
          line: 1,
          column: 1,
          code: "duplicate_name",
          severity: "error",
          message: `the skill ${skill.name} would have the name of one of ${first.path}`,
        });
      }
    }
  }
  return { skills: [...skills.values()].map(({ skill }) => skill), findings };
}

function toPlan(skill: ExportedSkill, output: string): PlannedSkill {
  const folder = join(output, skill.name);
  const added: string[] = [];
  const different: string[] = [];
  for (const [path, text] of skill.files) {
    const before = readTextFile(resolve(folder, path));
    if (before === undefined) added.push(path);
    else if (before !== text) different.push(path);
  }
  return { skill, folder, added, different };
}

async function write({ skill, folder, added, different }: PlannedSkill): Promise<void> {
  for (const path of [...added, ...different]) {
    const file = resolve(folder, path);
    try {
      await mkdir(dirname(file), { recursive: true });
    } catch (error) {
      throw writeError(dirname(file), error);
    }
    await writeTextFile(file, skill.files.get(path) as string, 0o644);
  }
}

function toJson(plan: readonly PlannedSkill[], findings: readonly Finding[]): object {
  return {
    skills: plan.map(({ skill, folder, added, different }) => ({
      name: skill.name,
      folder,
      files: [...skill.files.keys()],
      changed: added.length + different.length > 0,
    })),
    findings,
  };
}

function describe({ file, line, column, severity, code, message, hint }: Finding): string {
  const advice = hint === undefined ? "" : ` ${hint}`;
  return safeLine(`${file}:${line}:${column}: ${severity} ${code}: ${message}.${advice}`);
}
