import { Command } from "commander";
import { addApprovals } from "./commands/approvals/command.ts";
import type { CallOptions } from "./commands/call/run.ts";
import type { CliIo } from "./process/cli-io.ts";
import { addConform } from "./commands/conform/command.ts";
import { exitCodeHelp } from "./process/exit-code.ts";
import {
  callExamples,
  examples,
  explainExamples,
  inspectExamples,
  lockExamples,
  policyExamples,
  searchExamples,
} from "./help-text.ts";
import type { InspectOptions } from "./commands/inspect/run.ts";
import type { LockOptions } from "./commands/lock/run.ts";
import {
  collect,
  lockFileHelp,
  outputHelp,
  resultLimit,
  withToolOptions,
  withPolicy,
  withStore,
} from "./commands/shared/options.ts";
import type { Output } from "./process/output.ts";
import type { ExplainOptions } from "./commands/policy/explain.ts";
import type { SearchOptions } from "./commands/search/run.ts";
import { addServe } from "./commands/serve/command.ts";
import { version } from "./process/version.ts";

/** What a command works with; `end` takes its exit code. */
export interface CommandContext {
  readonly io: CliIo;
  readonly output: Output;
  readonly end: (code: number) => void;
}

const argumentsHelp =
  "arguments, read as the tool's schema says; a.b=value reaches into an object, a repeated key makes a list, JSON works for both";

/** All commands. What one does is loaded when it is used. */
export function commands(context: CommandContext): Command {
  const { io, output, end } = context;
  const program = new Command("toolweave")
    .description(
      "Lists, calls, serves and governs the tools of MCP servers and OpenAPI documents, and tests any tools.",
    )
    .version(version(), "--version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      // Said by `runCli`, in one place for all errors.
      outputError: () => {},
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText("after", examples + exitCodeHelp);

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
        const { check } = await import("./commands/lock/run.ts");
        return end(await check(options, io, output));
      }
      const { inspect } = await import("./commands/inspect/run.ts");
      end(await inspect(options, io, output));
    });

  withToolOptions(program.command("lock"))
    .summary("write down what the tools are")
    .description(
      "Writes a hash of every tool's name, schemas, description and hints, with the texts themselves, and says what has changed since the last time.",
    )
    .option("--lock-file <file>", lockFileHelp)
    .option("--json", 'print {"lock", "tools", "added": [...], "removed": [...], "changed": [...]}')
    .option("--verbose", "say also what led to an error")
    .addHelpText("after", lockExamples + exitCodeHelp)
    .action(async (options: LockOptions) => {
      const { lock } = await import("./commands/lock/run.ts");
      end(await lock(options, io, output));
    });

  withPolicy(withToolOptions(program.command("search")))
    .summary("find tools by what they are about")
    .description(
      "Lists the tools that are about some words, the best first: name, method and path, what a call does, summary. It looks at names, titles, descriptions, parameters and where tools are from.",
    )
    .argument("<words...>", "what the tool should do")
    .option("--limit <n>", "list at most so many: 1 to 100", resultLimit, 10)
    .option("--json", 'print {"tools": [...], "problems": [...], "decisions": {...}}')
    .option("--verbose", "say also what led to an error")
    .addHelpText("after", searchExamples + exitCodeHelp)
    .action(async (words: readonly string[], options: SearchOptions) => {
      const { search } = await import("./commands/search/run.ts");
      end(await search(words, options, io, output));
    });

  withStore(withPolicy(withToolOptions(program.command("call"))))
    .summary("call a tool")
    .description(
      "Calls one tool and prints its answer. Calls that may change something ask first, on a terminal; elsewhere they are put aside and answered with `toolweave approvals`.",
    )
    .argument("<tool>", "its name, as `toolweave inspect` prints it")
    .argument("[key=value...]", argumentsHelp)
    .option("--args <json|@file|->", "all arguments as one JSON object, from a file or from stdin")
    .option("--yes", "approve the call without asking")
    .option("--output <file>", outputHelp)
    .option("--json", "print the whole outcome as JSON")
    .option("--verbose", "say also what led to an error")
    .addHelpText("after", callExamples + exitCodeHelp)
    .action(async (tool: string, words: readonly string[], options: CallOptions) => {
      const { call } = await import("./commands/call/run.ts");
      end(await call(tool, words, options, io, output));
    });

  addServe(program, context);
  addApprovals(program, context);
  addConform(program, context);

  const policy = program
    .command("policy")
    .summary("explain what a policy decides")
    .description("Explains what a policy decides about a tool or a call. Nothing is called.")
    .addHelpText("after", policyExamples + exitCodeHelp);
  withStore(withPolicy(withToolOptions(policy.command("explain"))))
    .summary("tell what would become of a call, and which rule decides")
    .description(
      "Tells what would become of a call, which rule decides, and what else was weighed. Nothing is called. Without arguments it tells of the tool.",
    )
    .argument("<tool>", "its name, as `toolweave inspect` prints it")
    .argument("[key=value...]", argumentsHelp)
    .option("--args <json|@file|->", "all arguments as one JSON object, from a file or from stdin")
    .option("--caller <id>", "on whose behalf")
    .option("--role <role>", "a role of the caller's; may be repeated", collect)
    .option("--json", "print the explanation as JSON")
    .option("--verbose", "say also what led to an error")
    .addHelpText("after", explainExamples + exitCodeHelp)
    .action(async (tool: string, words: readonly string[], options: ExplainOptions) => {
      const { explain } = await import("./commands/policy/explain.ts");
      end(await explain(tool, words, options, io, output));
    });
  return program;
}
