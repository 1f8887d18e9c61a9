import type { Command } from "commander";
import { exitCodeHelp } from "../../process/exit-code.ts";
import type { LockOptions } from "../lock/run.ts";
import type { CommandContext } from "../shared/context.ts";
import { collect, lockFileHelp, withPolicy, withToolOptions } from "../shared/options.ts";
import type { InspectOptions } from "./run.ts";

const inspectExamples = `
Examples:
  $ toolweave inspect --openapi openapi.yaml
  $ toolweave inspect --openapi https://api.example.com/openapi.json --filter 'list_*'
  $ toolweave inspect --openapi openapi.yaml --filter get_pet    # and the arguments of this one
  $ toolweave inspect --openapi openapi.yaml --policy strict     # and what it lets run
  $ toolweave inspect --openapi openapi.yaml --json | jq '.tools[].name'
  $ toolweave inspect --config toolweave.json
  $ toolweave inspect --mcp 'npx -y @modelcontextprotocol/server-memory'
  $ toolweave inspect --mcp https://mcp.example.com/mcp --auth 'bearer:$TOKEN'
  $ toolweave inspect --check                       # against toolweave.lock.json

"asks first" marks the calls that a person has to approve, unless --yes does; "denied" those that
the policy never lets run. \`toolweave policy explain\` tells why.
`;

/** Registers `toolweave inspect`. */
export function addInspect(program: Command, { io, output, end }: CommandContext): void {
  withPolicy(withToolOptions(program.command("inspect")))
    .summary("list the tools")
    .description(
      "Lists the tools of MCP servers and OpenAPI documents: name, where it is from, what a call does, summary; then what could not become a tool.",
    )
    .option("--check", "compare them with the lock, and end with 1 when one has changed")
    .option("--lock-file <file>", lockFileHelp)
    .option("--filter <glob>", "only tools of these names (list_*); may be repeated", collect)
    .option(
      "--json",
      'print {"tools": [...], "problems": [...], "decisions": {...}, "warnings": [...]}',
    )
    .option("--verbose", "say also what led to an error")
    .addHelpText("after", inspectExamples + exitCodeHelp)
    .action(async (options: InspectOptions & LockOptions & { readonly check?: boolean }) => {
      if (options.check === true) {
        const { check } = await import("../lock/run.ts");
        return end(await check(options, io, output));
      }
      const { inspect } = await import("./run.ts");
      end(await inspect(options, io, output));
    });
}
