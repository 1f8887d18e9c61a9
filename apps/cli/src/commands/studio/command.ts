import type { Command } from "commander";
import { exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../../process/output.ts";
import {
  collect,
  lockFileHelp,
  sourceHelp,
  withPolicy,
  withStore,
  withToolOptions,
} from "../shared/options.ts";
import type { StudioOptions } from "./run.ts";

const studioExamples = `
Examples:
  $ toolweave studio toolweave.json --open
  $ toolweave studio openapi.yaml --auth 'bearer:$TOKEN'
  $ toolweave studio --config toolweave.json --events calls.ndjson   # what a gateway has recorded
  $ toolweave studio --store postgres://db/agents                    # the calls of all replicas
  $ toolweave studio toolweave.json --token-env STUDIO_TOKEN         # for a program, which reads

The page is served by this command, on this machine only. Its link can be used once, within two
minutes: press Enter for another one. A program with the token reads what the page displays. It
calls tools only with --token-calls, and never approves a call.
`;

/** Registers `toolweave studio`. */
export function addStudio(program: Command, { io, output, end }: CommandContext): void {
  withStore(withPolicy(withToolOptions(program.command("studio"))))
    .summary("see, try and approve everything in a browser")
    .description(
      "Opens a page in the browser with all tools, their calls, approvals, runs, tasks and the policy. Ends on Ctrl-C.",
    )
    .argument("[source...]", sourceHelp)
    .option("--open", "open the page in the browser, in place of printing only its link")
    .option("--listen <host:port>", "the address (default: 127.0.0.1 and a free port)")
    .option("--public-url <url>", "the origin that browsers use, if there is a proxy")
    .option("--token-env <name>", "the environment variable of the token of a program")
    .option("--token-calls", "with --token-env: the program may call tools")
    .option(
      "--events <file>",
      "show what `serve --events` has recorded in a file; may be repeated",
      collect,
    )
    .option("--audit <file>", "show the records of an audit file")
    .option("--lock-file <file>", lockFileHelp)
    .option("--json", 'print {"url": "...", "link": "..."}')
    .option("--verbose", "also print the causes of an error")
    .addHelpText(
      "after",
      studioExamples +
        exitCodesHelp({
          0: "the command was stopped",
          1: "the store is unavailable, or the address is in use",
          3: "the configuration in this folder is not trusted; nothing was started",
          4: "no source could be loaded",
        }),
    )
    .action(async (sources: readonly string[], options: StudioOptions) => {
      const { studio } = await import("./run.ts");
      end(await studio({ ...options, sources }, io, output));
    });
}
