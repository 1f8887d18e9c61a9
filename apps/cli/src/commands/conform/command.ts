import type { Command } from "commander";
import { exitCodeHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../shared/context.ts";
import { collect, parseDeadline, parseSeed, withApi } from "../shared/options.ts";
import type { ConformOptions } from "./run.ts";

/** The help's examples. */
export const conformExamples = `
Examples:
  $ toolweave conform ./my-tools.ts
  $ toolweave conform --openapi openapi.yaml
  $ toolweave conform --mcp 'npx -y my-mcp-server --read-only'
  $ toolweave conform --config conformance.json --junit report.xml --badge badge.json
  $ toolweave conform ./my-tools.ts --only TW-SPEC-003 --seed 7     # one rule, as it was
  $ toolweave conform ./my-tools.ts --only SPEC --only NAME --json | jq '.rules[] | .id'

A module exports, as its default: a manifest of @toolweave/conformance, or a list of them; a tool,
or a list of tools; a source; or a function that makes one of these. Without a manifest no tool is
ever called: rules that need calls are "not applicable". A file for --config has such calls:
  {
    "name": "my server",
    "mcp": { "command": "my-mcp-server", "env": { "API_KEY": "$API_KEY" } },
    "samples": {
      "succeedingCalls": [{ "tool": "find_book", "arguments": { "title": "Emma" } }],
      "failingCalls": [{ "tool": "find_book", "arguments": { "title": "" } }]
    },
    "secrets": ["API_KEY"],
    "without": { "slowCalls": "every tool answers at once" }
  }
In place of "mcp" it has "openapi" or "module", a URL or a path beside the file. "secrets" are names
of environment variables. { "subjects": [...] } tests several.
`;

/** Registers `toolweave conform`. */
export function addConform(program: Command, { io, output, end }: CommandContext): void {
  const command = program
    .command("conform")
    .summary("check that tools keep the contract")
    .description(
      "Checks every rule of the contract against tools, a source or an adapter: what a module exports, what an OpenAPI document makes, or what an MCP server has.",
    )
    .argument("[module]", "a .js, .mjs or .ts file that exports what is tested")
    .option("--openapi <url|file>", "an OpenAPI document; may be repeated", collect)
    .option("--mcp <command|url>", "an MCP server: a command that starts it, or its URL")
    .option("--config <file>", "what is tested, with sample calls, as JSON")
    .option("--only <id|area>", "only this rule, or these; may be repeated", collect)
    .option("--seed <n>", "the inputs of an earlier run again", parseSeed)
    .option(
      "--deadline <ms>",
      "for what must come to an end: a start, a call (default: 10000)",
      parseDeadline,
    );
  withApi(command)
    .option("--json", "print the report as JSON, one line for each that is tested")
    .option("--junit <file|->", "write the report as JUnit XML")
    .option("--badge <file>", "write a badge that shields.io can read")
    .option("--summary <file>", "write what the report comes to as JSON")
    .option("--verbose", "say also what was done for the rules that hold, and what led to an error")
    .addHelpText("after", conformExamples + exitCodeHelp)
    .action(async (module: string | undefined, options: ConformOptions) => {
      const { conform } = await import("./run.ts");
      end(await conform(module, options, io, output));
    });
}
