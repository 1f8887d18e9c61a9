import type { Command } from "commander";
import { exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../../process/output.ts";

const examples = `
Examples:
  $ toolweave lsp

An editor starts it; see docs/guides/editors.md.
`;

/** Registers `toolweave lsp`. */
export function addLsp(program: Command, { io, end }: CommandContext): void {
  program
    .command("lsp")
    .summary("serve editors: a language server for scripts and markdown tools")
    .description(
      "Serves the Language Server Protocol on stdin and stdout, for files .star and for markdown files with tools, hooks and bundles.",
    )
    .option("--stdio", "use stdin and stdout, which is the default")
    .addHelpText("after", examples + exitCodesHelp({ 1: "the editor ended without a shutdown" }))
    .action(async () => {
      const { serveEditor } = await import("./serve-editor.ts");
      end(await serveEditor(io));
    });
}
