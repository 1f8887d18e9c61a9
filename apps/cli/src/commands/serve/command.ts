import { Option, type Command } from "commander";
import { exitCodeHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../shared/context.ts";
import {
  parseGrace,
  lockFileHelp,
  withPolicy,
  withStore,
  withToolOptions,
} from "../shared/options.ts";
import { withServeLimits } from "./limits.ts";
import type { ServeOptions } from "./run.ts";

const serveExamples = `
Examples:
  $ toolweave serve --config toolweave.json
  $ toolweave serve --locked --policy strict
  $ toolweave serve --http
  $ toolweave serve --http 0.0.0.0:8137 --token-env GATEWAY_TOKEN
  $ toolweave serve --openapi https://api.example.com/openapi.json --auth 'bearer:$TOKEN'

A host starts it with this line in its own mcpServers:
  "tools": {
    "command": "npx",
    "args": ["-y", "toolweave", "serve", "--config", "/path/toolweave.json"]
  }

What needs a person is asked of the client's user, where the client can do that. Elsewhere the call
is kept, and its answer has the command of \`toolweave approvals\` that goes on with it; always so
with --approvals out-of-band. Over HTTP other machines are let in with a token only.
`;

/** Registers `toolweave serve`. */
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
      parseGrace,
    )
    .option("--verbose", "say also what led to an error, and what clients do wrong")
    .addHelpText("after", serveExamples + exitCodeHelp)
    .action(async (options: ServeOptions) => {
      const { serve } = await import("./run.ts");
      end(await serve(options, io, output));
    });
}
