import type { Command } from "commander";
import { exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../../process/output.ts";
import type { ExportOptions } from "./skills.ts";

const exportExamples = `
Examples:
  $ toolweave export --skill .toolweave/tools
  $ toolweave export --skill .toolweave/tools/run_command.md --output .claude/skills
  $ toolweave export --skill tools/*.md --output .claude/skills --force

A tool run_command becomes the skill run-command, a folder of the output:
  run-command/SKILL.md                  what it does, its arguments, how to use it
  run-command/scripts/run.star          its script
  run-command/scripts/run.schema.json   the schema of its arguments

Clients of Agent Skills read SKILL.md, and follow the script with tools of their own. Toolweave runs
the script: the skill has the tool run-command__run. Files that are the same stay as they are.
`;

/** Registers `toolweave export`. */
export function addExport(program: Command, { io, output, end }: CommandContext): void {
  program
    .command("export")
    .argument("<paths...>", "files of tools, or folders of them: markdown with a script")
    .summary("write tools of markdown files as Agent Skills")
    .description("Writes tools of markdown files in a form that other clients use.")
    .requiredOption("--skill", "write Agent Skills: the only form so far")
    .option("--output <folder>", "the folder of the skills", "skills")
    .option("--force", "replace files that differ")
    .option("--json", 'print {"skills": [{"name", "folder", "files", "changed"}], "findings"}')
    .addHelpText(
      "after",
      exportExamples +
        exitCodesHelp({
          0: "completed; without a change, too",
          1: "a file has an error, or would be replaced; other tools are written in the first case, nothing in the second",
        }),
    )
    .action(async (paths: readonly string[], options: ExportOptions) => {
      const { exportToSkills } = await import("./skills.ts");
      end(await exportToSkills(paths, options, io, output));
    });
}
