import type { Command } from "commander";
import { exitCodeHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../shared/context.ts";
import { collect } from "../shared/options.ts";
import type { LoginOptions } from "./run.ts";

const loginExamples = `
Examples:
  $ toolweave login linear --config toolweave.json
  $ toolweave login --mcp https://mcp.example.com/mcp

Tokens are stored in files that only this user can read, in the folder that the configuration names
as "store", otherwise next to the store of \`toolweave approvals\`.
`;

/** Registers `toolweave login`. */
export function addLogin(program: Command, { io, output, end }: CommandContext): void {
  program
    .command("login")
    .summary("sign in to an MCP server")
    .description(
      "Signs in to an MCP server with OAuth: prints the address to open, waits for the redirect of the browser, and stores the tokens for later commands.",
    )
    .argument("[source]", "the name of the server in the configuration")
    .option(
      "--config <file>",
      "a toolweave.json, or another host's file with mcpServers (default: the toolweave.json here)",
    )
    .option("--mcp <url>", "the URL of the server, instead of a name", collect)
    .option("--verbose", "also print the causes of an error")
    .addHelpText("after", loginExamples + exitCodeHelp)
    .action(async (source: string | undefined, options: LoginOptions) => {
      const { login } = await import("./run.ts");
      end(await login(source, options, io, output));
    });
}
