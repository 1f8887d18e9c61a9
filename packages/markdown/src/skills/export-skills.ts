import { realpathSync } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ToolError } from "@toolweave/core";
import { readToolFile } from "../artifact/read-artifact.ts";
import type { Finding } from "../text/finding.ts";
import { readTextFile } from "../text/read-text-file.ts";
import { isError } from "../text/sort-findings.ts";
import { exportSkill, type ExportedSkill } from "./export-skill.ts";
import { decodeText, isBelow, readFileBelow } from "./skill-folder.ts";
import { skillLimits } from "./skill.ts";
import { checks } from "@toolweave/core/adapter";

/** The skills of files of tools, and what is wrong with the files. A file with an error has no skill. */
export interface ExportReading {
  readonly skills: readonly ExportedSkill[];
  readonly findings: readonly Finding[];
}

/**
 * Writes the tools of markdown files as Agent Skills: see `exportSkill`. Nothing is written to the disk.
 *
 * @param path a file of a tool, or a folder of such files; folders in it are not read.
 * @throws the error of the system if the path does not exist.
 */
export async function exportSkills(path: string): Promise<ExportReading> {
  checks.filledText.check("exportSkills: path", path);
  const real = await realpath(path);
  const isFolder = (await stat(real)).isDirectory();
  const folder = isFolder ? real : dirname(real);
  const names = isFolder ? await toolFiles(folder) : [basename(real)];
  const skills = new Map<string, { readonly skill: ExportedSkill; readonly file: string }>();
  const findings: Finding[] = [];
  for (const file of names) {
    const add = (code: string, message: string): void => {
      findings.push({ file, line: 1, column: 1, code, severity: "error", message });
    };
    const text = await readText(folder, file);
    if (text === undefined) {
      add("not_text", `the file is no text of at most ${skillLimits.fileBytes / 1024} KiB`);
      continue;
    }
    const read = readToolFile(file, text, { readFile: (beside) => readBeside(folder, beside) });
    findings.push(...read.findings);
    if (read.artifact === undefined || read.findings.some(isError)) continue;
    try {
      const skill = exportSkill(read.artifact);
      const first = skills.get(skill.name);
      if (first === undefined) skills.set(skill.name, { skill, file });
      else add("duplicate_name", `the skill would have the name of ${first.file}, ${skill.name}`);
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      add("no_script", error.message);
    }
  }
  return { skills: [...skills.values()].map(({ skill }) => skill), findings };
}

async function toolFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  const files = names.filter((name) => name.endsWith(".md") && !name.startsWith("."));
  return files.sort().slice(0, skillLimits.entries);
}

async function readText(folder: string, file: string): Promise<string | undefined> {
  try {
    return decodeText(await readFileBelow(folder, file, skillLimits.fileBytes));
  } catch {
    return undefined;
  }
}

/** The text of a file beside a tool's, for `script_file`. */
function readBeside(folder: string, path: string): string | undefined {
  try {
    const real = realpathSync(join(folder, path));
    return isBelow(folder, real) ? readTextFile(real, skillLimits.fileBytes) : undefined;
  } catch {
    return undefined;
  }
}
