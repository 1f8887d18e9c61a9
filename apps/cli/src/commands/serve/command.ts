import { Option, type Command } from "commander";
import { exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../../process/output.ts";
import {
  collect,
  parseGrace,
  lockFileHelp,
  sourceHelp,
  withPolicy,
  withStore,
  withToolOptions,
} from "../shared/options.ts";
import { withServeLimits } from "./limits.ts";
import type { ServeOptions } from "./run.ts";

const serveExamples = `
Examples:
  $ toolweave serve toolweave.json
  $ toolweave serve ./tools.ts --watch
  $ toolweave serve --locked --policy strict
  $ toolweave serve --workspace .
  $ toolweave serve --config toolweave.json --skills .claude/skills
  $ toolweave serve --http
  $ toolweave serve --http 0.0.0.0:8137 --token-env GATEWAY_TOKEN
  $ toolweave serve https://api.example.com/openapi.json --auth 'bearer:$TOKEN'

A host starts it with this entry in its mcpServers:
  "tools": {
    "command": "npx",
    "args": ["-y", "toolweave", "serve", "--config", "/path/toolweave.json"]
  }

If a call needs approval, the gateway asks the user through the client, if the client supports
elicitation. Otherwise, and always with --approvals out-of-band, the call is stored, and its result
names the command of \`toolweave approvals\` that resumes it. Over HTTP, other machines need a token.
`;

/** Registers `toolweave serve`. */
export function addServe(program: Command, { io, output, end }: CommandContext): void {
  withServeLimits(withStore(withPolicy(withToolOptions(program.command("serve")))))
    .summary("serve the tools over MCP")
    .description(
      "Serves all tools as one MCP server: over stdio, for hosts that start it, or over HTTP. Exits when its client disconnects, or on Ctrl-C.",
    )
    .argument("[source...]", sourceHelp)
    .option("--http [host:port]", "serve over HTTP (default: 127.0.0.1:8137)")
    .option(
      "--token-env <name>",
      "with --http: the environment variable of the token that clients send",
    )
    .option(
      "--replica-url <url>",
      "with --http: the internal URL of this process, if there are several behind a load balancer",
    )
    .option(
      "--search",
      "list three tools that search, describe and call (default: above 100 tools)",
    )
    .option(
      "--skills <folder>",
      "also serve the Agent Skills of a folder, such as .claude/skills; may be repeated",
      collect,
    )
    .addOption(
      new Option(
        "--scripts [which]",
        "also list run_script, whose scripts call the tools; `only`: in place of the tools",
      ).choices(["beside", "only"]),
    )
    .option("--events <file>", "record what happens, with arguments and outputs but no secrets")
    .option("--watch", "load modules again when their files change")
    .option("--locked", "omit tools that differ from the lock")
    .option("--lock-file <file>", lockFileHelp)
    .addOption(
      new Option("--approvals <how>", "how approval is requested (default: elicit)").choices([
        "elicit",
        "out-of-band",
      ]),
    )
    .option(
      "--grace <ms>",
      "the grace period of running calls at the end (default: 5000)",
      parseGrace,
    )
    .option("--verbose", "also print the causes of an error, and errors of clients")
    .addHelpText(
      "after",
      serveExamples +
        exitCodesHelp({
          0: "the client has disconnected, or the command was stopped",
          1: "the store is unavailable, or the address is in use",
          3: "the configuration in this folder is not trusted; nothing was started",
          4: "no source could be loaded",
          130: "interrupted (Ctrl-C) before it served",
        }),
    )
    .action(async (sources: readonly string[], options: ServeOptions) => {
      const { serve } = await import("./run.ts");
      end(await serve({ ...options, sources }, io, output));
    });
}
