import type { Command } from "commander";
import { exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../../process/output.ts";
import { check, type LockOptions } from "../lock.ts";
import {
  collect,
  lockFileHelp,
  noPagerHelp,
  sourceHelp,
  withPolicy,
  withToolOptions,
} from "../shared/options.ts";
import type { InspectOptions } from "./run.ts";

const inspectExamples = `
Examples:
  $ toolweave inspect openapi.yaml
  $ toolweave inspect https://api.example.com/openapi.json --filter 'list_*'
  $ toolweave inspect openapi.yaml --filter get_pet    # with the arguments of the tool
  $ toolweave inspect openapi.yaml --policy strict     # with the decisions of the policy
  $ toolweave inspect openapi.yaml --json | jq '.tools[].name'
  $ toolweave inspect ./tools.ts https://mcp.example.com/mcp
  $ toolweave inspect --mcp 'npx -y @modelcontextprotocol/server-memory'
  $ toolweave inspect https://mcp.example.com/mcp --auth 'bearer:$TOKEN'
  $ toolweave inspect openapi.yaml --tokens anthropic
  $ toolweave inspect --check                       # compare with toolweave.lock.json

"asks first" marks tools whose calls need approval, unless --yes is given; "denied" marks tools
whose calls the policy denies. \`toolweave policy explain\` prints the reason.
`;

/** Registers `toolweave inspect`. */
export function addInspect(program: Command, { io, output, end }: CommandContext): void {
  withPolicy(withToolOptions(program.command("inspect")))
    .summary("list the tools")
    .description(
      "Lists the tools of MCP servers and OpenAPI documents with their name, origin, effect and summary, followed by everything that could not become a tool.",
    )
    .argument("[source...]", sourceHelp)
    .option("--check", "compare the tools with the lock; exit with 1 if one has changed")
    .option("--lock-file <file>", lockFileHelp)
    .option("--filter <glob>", "only tools with matching names (list_*); may be repeated", collect)
    .option(
      "--json",
      'print {"tools": [...], "problems": [...], "decisions": {...}, "warnings": [...]}',
    )
    .option(
      "--tokens [format]",
      "estimate the tokens of each tool for openai (default), anthropic, gemini or bedrock, and all totals",
    )
    .option("--no-pager", noPagerHelp)
    .addHelpText(
      "after",
      inspectExamples +
        exitCodesHelp({
          1: "two sources have tools of the same name; --check: a tool has changed",
          3: "the configuration in this folder is not trusted; nothing was started",
          4: "a source could not be loaded; the tools of the others are listed",
        }),
    )
    .action(
      async (
        sources: readonly string[],
        options: InspectOptions & LockOptions & { readonly check?: boolean },
      ) => {
        const all = { ...options, sources };
        if (options.check === true) return end(await check(all, io, output));
        const { inspect } = await import("./run.ts");
        end(await inspect(all, io, output));
      },
    );
}
