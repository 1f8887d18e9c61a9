import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { Tool } from "@toolweave/core";
import {
  checkOptions,
  checks,
  loadedSource,
  type LoadedSource,
  type LoadedTools,
  type OptionChecks,
  type SourceProblem,
} from "@toolweave/core/adapter";
import type { ToolArtifact } from "../artifact/artifact.ts";
import type { EffectOptions } from "../effects/script-effects.ts";
import type { ScriptHost } from "../script/run-script.ts";
import { toMissingFolder, type Finding } from "../text/finding.ts";
import { readSkill } from "./read-skill.ts";
import { isBelow } from "./skill-folder.ts";
import { readScripts, ScriptRunner } from "./script-tools.ts";
import { catalogTools, skillFileTool, skillTool } from "./skill-tools.ts";
import { skillLimits, type Skill, type SkillReading } from "./skill.ts";

/** Options of `skillsSource`. */
export interface SkillsSourceOptions {
  /** Names the source. Default: the folder. */
  readonly id?: string;
  /** With more skills, `list_skills` and `read_skill` are in place of a tool for each. Default: 20. */
  readonly maxSkillTools?: number;
  /**
   * The reach of the scripts in Starlark (`scripts/NAME.star` with `def run(args)`); false: they are files alone. The policy
   * decides on each effect. Default: other tools and the web, but no files and no programs.
   */
  readonly scripts?: (EffectOptions & Pick<ScriptHost, "env" | "log">) | false;
}

/** A source of tools that read skills. */
export interface SkillsSource extends LoadedSource {
  /** The skills as they are now; empty before `ready`. */
  readonly skills: readonly Skill[];
  /** All findings of the folders. `problems` has them as sentences. */
  readonly findings: readonly Finding[];
}

const optionChecks: OptionChecks<SkillsSourceOptions> = {
  id: checks.filledText,
  maxSkillTools: checks.wholeFrom(0),
  scripts: checks.valueThat(
    (value) => value === false || (typeof value === "object" && value !== null),
    "false, or an object with options of scripts",
  ),
};

const folderList = checks.list(checks.filledText);

/** @throws ToolError `invalid_configuration` for folders that are no texts. */
export function toFolders(where: string, folders: string | readonly string[]): readonly string[] {
  if (!Array.isArray(folders)) checks.filledText.check(`${where}: folders`, folders);
  const list = [folders].flat();
  folderList.check(`${where}: folders`, list);
  return list;
}

/**
 * The skills of folders as tools that only read. A model sees the description of each skill; it gets the instructions
 * when it calls the skill's tool, and each file when it asks for it. Scripts are not run, but for those in
 * Starlark. A folder that does not exist has none, which is a problem of the source.
 *
 * @param folders folders of skills, such as `.claude/skills`, or a folder that is a skill.
 * @throws ToolError `invalid_configuration` for an invalid option.
 * @example
 * ```ts
 * const skills = skillsSource(".claude/skills");
 * const registry = new ToolRegistry([skills]);
 * ```
 */
export function skillsSource(
  folders: string | readonly string[],
  options: SkillsSourceOptions = {},
): SkillsSource {
  checkOptions("skillsSource", options, optionChecks);
  const list = toFolders("skillsSource", folders);
  const { maxSkillTools = 20, scripts: reach = {} } = options;
  const id = options.id ?? list.join(",");
  const runner = reach === false ? undefined : new ScriptRunner(id, reach);
  let skills: readonly Skill[] = [];
  let findings: readonly Finding[] = [];
  const current = (): readonly Skill[] => skills;
  const load = async (): Promise<LoadedTools> => {
    const read = await readSkills(list);
    const scripts =
      runner === undefined
        ? { tools: [], findings: [] }
        : await scriptTools(read.skills, (artifact) => runner.makeTool(artifact));
    skills = read.skills;
    findings = [...read.findings, ...scripts.findings];
    const ofSkills =
      skills.length > maxSkillTools
        ? catalogTools(current, id)
        : skills.map((skill) => skillTool(skill, current, id));
    const readers = skills.length === 0 ? [] : [...ofSkills, skillFileTool(current, id)];
    return { tools: [...readers, ...scripts.tools], problems: findings.map(toProblem) };
  };
  const source = loadedSource({
    id,
    load,
    trustAnnotations: true,
    ...(runner === undefined ? {} : { secrets: runner.secrets }),
    close: () => runner?.close(),
  });
  return Object.defineProperties(source, {
    skills: { get: () => skills, enumerable: true },
    findings: { get: () => findings, enumerable: true },
  }) as SkillsSource;
}

/**
 * Reads all skills of folders, in order of their names. A skill of a name that an earlier one has is an error that
 * names both places.
 *
 * @param folders folders of skills, or folders that are skills. One that does not exist is a finding.
 * @param only the name of the only skill that is read.
 * @throws ToolError `invalid_configuration` (by rejecting) for folders that are no texts.
 */
export async function readSkills(
  folders: string | readonly string[],
  only?: string,
): Promise<{ readonly skills: readonly Skill[]; readonly findings: readonly Finding[] }> {
  const skills = new Map<string, { readonly skill: Skill; readonly folder: string }>();
  const findings: Finding[] = [];
  for (const folder of toFolders("readSkills", folders)) {
    for (const { skill, findings: own } of await readFolder(folder, only)) {
      findings.push(...own);
      if (skill === undefined) continue;
      const first = skills.get(skill.name);
      if (first === undefined) skills.set(skill.name, { skill, folder });
      else
        findings.push({
          ...skill.place,
          code: "duplicate_name",
          severity: "error",
          message: `the skill ${skill.name} of ${folder} has the name of one of ${first.folder}`,
          hint: "Rename one of the two folders, and its name.",
        });
    }
  }
  const sorted = [...skills.values()].map(({ skill }) => skill);
  sorted.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { skills: sorted, findings };
}

async function readFolder(
  folder: string,
  only: string | undefined,
): Promise<readonly SkillReading[]> {
  const root = await realpath(folder).catch(() => undefined);
  if (root === undefined) return [{ findings: [toMissingFolder(folder, "warning", "skills")] }];
  if (await isFile(join(root, "SKILL.md")))
    return only === undefined || only === basename(resolve(folder))
      ? [await readSkill(folder)]
      : [];
  const names: string[] = [];
  const readings: SkillReading[] = [];
  const fail = (file: string, code: string, message: string, hint?: string): void => {
    const finding = { file, line: 1, column: 1, code, severity: "error", message } as const;
    readings.push({ findings: [hint === undefined ? finding : { ...finding, hint }] });
  };
  for (const entry of await readdir(root, { withFileTypes: true })) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    if (only !== undefined && entry.name !== only) continue;
    if (entry.isDirectory()) names.push(entry.name);
    if (!entry.isSymbolicLink()) continue;
    const target = await realpath(join(root, entry.name)).catch(() => undefined);
    if (target === undefined || !(await isDirectory(target))) continue;
    if (isBelow(root, target)) names.push(entry.name);
    else
      fail(
        entry.name,
        "link_outside",
        "the link leads out of the folder: the skill is not read",
        "Copy the skill, or name its folder itself.",
      );
  }
  names.sort();
  for (const name of names.slice(0, skillLimits.entries))
    readings.push(await readSkill(join(root, name)));
  if (names.length > skillLimits.entries) {
    const message = `there are more than ${skillLimits.entries} skills: the others are left out`;
    fail(folder, "too_many", message);
  }
  return readings;
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true;
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

async function scriptTools(
  skills: readonly Skill[],
  makeScriptTool: (artifact: ToolArtifact) => Tool,
): Promise<{ readonly tools: readonly Tool[]; readonly findings: readonly Finding[] }> {
  const tools: Tool[] = [];
  const findings: Finding[] = [];
  for (const skill of skills) {
    const scripts = await readScripts(skill);
    findings.push(...scripts.findings);
    for (const artifact of scripts.artifacts) {
      try {
        tools.push(makeScriptTool(artifact));
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        findings.push({ ...artifact.place, code: "invalid_script", severity: "error", message });
      }
    }
  }
  return { tools, findings };
}

/** A finding as a sentence for the host. */
function toProblem({ file, line, column, severity, message, hint }: Finding): SourceProblem {
  const advice = hint === undefined ? "" : ` ${hint}`;
  return { subject: `${file}:${line}:${column}`, message: `${message}.${advice}`, severity };
}
