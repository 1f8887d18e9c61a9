import { Option, type Command } from "commander";
import type { ScriptKind } from "@toolweave/markdown/authoring";
import { exitCodesHelp } from "../process/exit-code.ts";
import type { CommandContext } from "../process/output.ts";

const examples = `
Examples:
  $ toolweave stubs > toolweave.pyi
  $ toolweave stubs --kind hook
`;

/** Registers `toolweave stubs`. */
export function addStubs(program: Command, { output }: CommandContext): void {
  program
    .command("stubs")
    .summary("print the functions of scripts, for editors")
    .description(
      "Prints the functions that scripts can call as a stub file of Python (.pyi), for editors and models.",
    )
    .addOption(
      new Option("--kind <kind>", "the kind of the scripts")
        .choices(["tool", "hook", "session", "test"])
        .default("tool"),
    )
    .addHelpText("after", examples + exitCodesHelp({}))
    .action(async ({ kind }: { readonly kind: ScriptKind }) => {
      const { testFunctions, writeStubs } = await import("@toolweave/markdown/authoring");
      await output.write(writeStubs(kind, kind === "test" ? testFunctions : []));
    });
}
