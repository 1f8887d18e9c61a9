import type { Command } from "commander";
import { exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../../process/output.ts";
import { collect, parseDeadline, parseSeed, withApi } from "../shared/options.ts";
import type { ConformOptions } from "./run.ts";

/** The help's examples. */
export const conformExamples = `
Examples:
  $ toolweave conform ./my-tools.ts
  $ toolweave conform --openapi openapi.yaml
  $ toolweave conform --mcp 'npx -y my-mcp-server --read-only'
  $ toolweave conform --config conformance.json --junit report.xml --badge badge.json
  $ toolweave conform ./my-tools.ts --only TW-SPEC-003 --seed 7     # repeat one rule
  $ toolweave conform ./my-tools.ts --only SPEC --only NAME --json | jq '.rules[] | .id'

The default export of a module is a manifest of @toolweave/conformance or a list of them; a tool or
a list of tools; a source; or a function that returns one of these. Without a manifest no tool is
called, and rules that need calls are "not applicable". A file for --config declares sample calls:
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
Instead of "mcp" use "openapi" or "module" with a URL or a path relative to the file. "secrets" are
names of environment variables. { "subjects": [...] } tests several subjects.
`;

/** Registers `toolweave conform`. */
export function addConform(program: Command, { io, output, end }: CommandContext): void {
  const command = program
    .command("conform")
    .summary("test tools against the contract")
    .description(
      "Tests tools, a source or an adapter against all rules of the contract: the exports of a module, the operations of an OpenAPI document, or the tools of an MCP server.",
    )
    .argument("[module]", "a .js, .mjs or .ts file that exports the tools")
    .option("--openapi <url|file>", "an OpenAPI document; may be repeated", collect)
    .option("--mcp <command|url>", "an MCP server: a command that starts it, or its URL")
    .option("--config <file>", "a JSON file with the subject and sample calls")
    .option("--only <id|area>", "check only this rule or area; may be repeated", collect)
    .option("--seed <n>", "repeat the inputs of an earlier run", parseSeed)
    .option("--deadline <ms>", "the deadline of a start or a call (default: 10000)", parseDeadline);
  withApi(command)
    .option("--json", "print the reports as JSON, one line for each subject")
    .option("--junit <file|->", "write the report as JUnit XML")
    .option("--badge <file>", "write a badge for shields.io")
    .option("--summary <file>", "write the summary of the report as JSON")
    .option("--verbose", "also print what was done for rules that hold, and the causes of an error")
    .addHelpText(
      "after",
      conformExamples +
        exitCodesHelp({
          0: "no rule is broken, except those that are known to fail",
          1: "a rule is broken",
          4: "a subject could not be loaded",
        }),
    )
    .action(async (module: string | undefined, options: ConformOptions) => {
      const { conform } = await import("./run.ts");
      end(await conform(module, options, io, output));
    });
}
