import type { Command } from "commander";
import { exitCodeHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../shared/context.ts";
import { collect } from "../shared/options.ts";
import type { LoginOptions } from "./run.ts";

const loginExamples = `
Examples:
  $ toolweave login linear --config toolweave.json
  $ toolweave login --mcp https://mcp.example.com/mcp

Tokens are kept in files of this user alone, in the folder that the configuration names as "store",
else beside the store of \`toolweave approvals\`.
`;

/** Registers `toolweave login`. */
export function addLogin(program: Command, { io, output, end }: CommandContext): void {
  program
    .command("login")
    .summary("sign in to an MCP server")
    .description(
      "Signs in to an MCP server with OAuth: prints where to go, waits for the browser to come back, and keeps the tokens for later commands.",
    )
    .argument("[source]", "its name in the configuration")
    .option(
      "--config <file>",
      "a toolweave.json, or another host's file with mcpServers (default: the toolweave.json here)",
    )
    .option("--mcp <url>", "the server, in place of a name", collect)
    .option("--verbose", "say also what led to an error")
    .addHelpText("after", loginExamples + exitCodeHelp)
    .action(async (source: string | undefined, options: LoginOptions) => {
      const { login } = await import("./run.ts");
      end(await login(source, options, io, output));
    });
}
