import type { Command } from "commander";
import { exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../../process/output.ts";
import {
  argumentsHelp,
  toolHelp,
  collect,
  withPolicy,
  withStore,
  withToolOptions,
} from "../shared/options.ts";
import type { ExplainOptions } from "./explain.ts";

const policyExamples = `
Examples:
  $ toolweave policy explain openapi.yaml delete_pet id=7 --policy strict

\`toolweave policy explain --help\` has more examples and a policy file.
`;

const explainExamples = `
Examples:
  $ toolweave policy explain openapi.yaml delete_pet id=7
  $ toolweave policy explain openapi.yaml delete_pet --policy strict
  $ toolweave policy explain openapi.yaml add_pet name=Rex --policy rules.json \\
      --caller ada --role admin

A file contains one policy, or a list in which each policy can only restrict those before it:
  {
    "preset": "supervised",
    "rules": [
      { "effect": "allow", "tools": "add_*", "callers": { "roles": "admin" } },
      { "effect": "deny", "permissions": { "kind": "network", "target": "DELETE *" } }
    ]
  }
Deny takes precedence over ask, and ask over allow, independent of their order.
`;

/** Registers `toolweave policy explain`. */
export function addPolicy(program: Command, { io, output, end }: CommandContext): void {
  const policy = program
    .command("policy")
    .summary("explain what a policy decides")
    .description("Explains what a policy decides about a tool or a call. Nothing is called.")
    .addHelpText(
      "after",
      policyExamples +
        exitCodesHelp({
          3: "the configuration in this folder is not trusted; nothing was started",
          4: "a source could not be loaded",
        }),
    );
  withStore(withPolicy(withToolOptions(policy.command("explain"))))
    .summary("explain the decision about a call")
    .description(
      "Explains what the policy decides about a call, which rule decides, and which other rules matched. Nothing is called. Without arguments it explains the decision about the tool.",
    )
    .usage("[options] [source...] <tool> [key=value...]")
    .argument("<tool>", toolHelp)
    .argument("[key=value...]", argumentsHelp)
    .option("--args <json|@file|->", "all arguments as one JSON object, from a file or from stdin")
    .option("--caller <id>", "the id of the caller")
    .option("--role <role>", "a role of the caller; may be repeated", collect)
    .option("--json", "print the explanation as JSON")
    .addHelpText(
      "after",
      explainExamples +
        exitCodesHelp({
          1: "the store of approvals is unavailable",
          3: "the configuration in this folder is not trusted; nothing was started",
          4: "a source could not be loaded",
        }),
    )
    .action(async (tool: string, words: readonly string[], options: ExplainOptions) => {
      const { explain } = await import("./explain.ts");
      const { splitCallWords } = await import("../../input/source-words.ts");
      const { sources, ...written } = splitCallWords([tool, ...words], "policy explain");
      end(await explain(written.tool, written.words, { ...options, sources }, io, output));
    });
}
