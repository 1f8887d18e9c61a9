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
import type { CheckOptions } from "./check.ts";
import type { ExplainOptions } from "./explain.ts";
import type { PolicyTestOptions } from "./test-cases.ts";

const policyExamples = `
Examples:
  $ toolweave policy explain openapi.yaml delete_pet id=7 --policy strict
  $ toolweave policy test policy.test.json
  $ toolweave policy check 'git status && rm -rf build'

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
    .description(
      "Explains what a policy decides about a tool, a call or a shell script. Nothing is called.",
    )
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
  addTest(policy, { io, output, end });
  addCheck(policy, { output, end });
}

const testExamples = `
Examples:
  $ toolweave policy test policy.test.json
  $ toolweave policy test policy.test.json --config toolweave.json --require-coverage

A file has calls, and what the policy must decide about them. \`rule\` also says which rule:
  {
    "cases": [
      { "tool": "shop__delete_order", "caller": { "id": "eve", "roles": ["guest"] },
        "expect": "deny", "rule": "guests-read" },
      { "tool": "shop__get_order", "arguments": { "id": 7 }, "expect": "allow" }
    ]
  }
A case without arguments is about the tool. All layers of the policy are counted, as in
\`policy explain\`; what a person has approved for more than one call is not.
`;

/** Registers `toolweave policy test`. */
function addTest(policy: Command, { io, output, end }: CommandContext): void {
  withPolicy(withToolOptions(policy.command("test")))
    .summary("compare the decisions about calls with a file")
    .description(
      "Compares what the policy decides about calls with what a file expects, and lists the rules that decide no case. Nothing is called.",
    )
    .usage("[options] <file>")
    .argument("<file>", "the file with the cases")
    .option("--require-coverage", "fail if a rule decides no case")
    .option("--json", "print the results as JSON")
    .addHelpText(
      "after",
      testExamples +
        exitCodesHelp({
          0: "each case is as expected",
          1: "a case is not as expected, or a rule has no case with --require-coverage",
          3: "the configuration in this folder is not trusted; nothing was started",
          4: "a source could not be loaded",
        }),
    )
    .action(async (file: string, options: PolicyTestOptions) => {
      const { testPolicy } = await import("./test-cases.ts");
      end(await testPolicy(file, options, io, output));
    });
}

const checkExamples = `
Examples:
  $ toolweave policy check 'git status && rm -rf build'
  $ toolweave policy check 'sort -o out in' --max-risk medium
  $ toolweave policy check "$(cat script.sh)" --policy rules.json --json
`;

/** Registers `toolweave policy check`. */
function addCheck(policy: Command, { output, end }: Pick<CommandContext, "output" | "end">): void {
  withPolicy(policy.command("check"))
    .summary("explain what a shell script would do, and whether it may run")
    .description(
      "Reads a script of bash without running it: the commands that it runs, the files that they read and write, their risk, and the decision of the policy. In scripts and hooks, the exit code is the decision.",
    )
    .argument("<script>", "the script, as one argument")
    .option("--root <folder>", "the folder of the workspace (default: this one)")
    .option(
      "--max-risk <risk>",
      "commands up to this risk run without asking: none, low (the default), medium or high",
    )
    .option("--json", "print the analysis and the decisions as JSON")
    .addHelpText(
      "after",
      checkExamples +
        exitCodesHelp({
          0: "it runs without asking",
          10: "it asks first",
          20: "it is denied",
        }),
    )
    .action(async (script: string, options: CheckOptions) => {
      const { check } = await import("./check.ts");
      end(await check(script, options, output));
    });
}
