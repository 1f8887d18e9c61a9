import { Option, type Command } from "commander";
import type { CommandContext } from "../../commands.ts";
import { exitCodeHelp } from "../../process/exit-code.ts";
import { loginExamples, serveExamples, trustExamples } from "../../help-text.ts";
import type { LoginOptions } from "../login/run.ts";
import {
  collect,
  graceOption,
  lockFileHelp,
  withPolicy,
  withStore,
  withToolOptions,
} from "../shared/options.ts";
import { withServeLimits } from "./limits.ts";
import type { ServeOptions } from "./run.ts";
import type { TrustOptions } from "../trust/run.ts";

/** `toolweave serve`, `toolweave trust` and `toolweave login`. */
export function addServe(program: Command, { io, output, end }: CommandContext): void {
  withServeLimits(withStore(withPolicy(withToolOptions(program.command("serve")))))
    .summary("serve the tools over MCP")
    .description(
      "Serves all the tools as one MCP server: over stdin and stdout, for hosts that start it, or over HTTP. Ends when its client has gone, or on Ctrl-C.",
    )
    .option("--http [host:port]", "over HTTP (default: 127.0.0.1:8137)")
    .option(
      "--token-env <name>",
      "with --http: the environment variable of the token that clients send",
    )
    .option(
      "--search",
      "show three tools that search, describe and call (default: above 100 tools)",
    )
    .option("--locked", "leave out tools that are not as the lock has them")
    .option("--lock-file <file>", lockFileHelp)
    .addOption(
      new Option("--approvals <how>", "who is asked (default: elicit)").choices([
        "elicit",
        "out-of-band",
      ]),
    )
    .option(
      "--grace <ms>",
      "when stopped: how long calls under way have to end (default: 5000)",
      graceOption,
    )
    .option("--verbose", "say also what led to an error, and what clients do wrong")
    .addHelpText("after", serveExamples + exitCodeHelp)
    .action(async (options: ServeOptions) => {
      const { serve } = await import("./run.ts");
      end(await serve(options, io, output));
    });

  program
    .command("trust")
    .summary("trust the toolweave.json of a folder")
    .description(
      "Shows what the toolweave.json of a folder starts, connects to and reads, and asks whether to trust it. Commands use a file that they find in the current folder only when it is trusted as it is; one that --config names needs no trust.",
    )
    .argument("[folder]", "default: the current one")
    .option("--list", "list the files that are trusted")
    .option("--revoke", "trust it no longer")
    .option("--yes", "trust it without asking")
    .option("--json", "print the result as JSON; asks nothing")
    .option("--verbose", "say also what led to an error")
    .addHelpText("after", trustExamples + exitCodeHelp)
    .action(async (folder: string | undefined, options: TrustOptions) => {
      const { trust } = await import("../trust/run.ts");
      end(await trust(folder, options, io, output));
    });

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
      const { login } = await import("../login/run.ts");
      end(await login(source, options, io, output));
    });
}
