import { Command, CommanderError } from "commander";
import { addApprovals } from "./commands/approvals/command.ts";
import { addCall } from "./commands/call/command.ts";
import { addConform } from "./commands/conform/command.ts";
import { addInspect } from "./commands/inspect/command.ts";
import { addPolicy } from "./commands/policy/command.ts";
import { addServe } from "./commands/serve/command.ts";
import { Output, OutputClosed, type CommandContext } from "./process/output.ts";
import { Interrupt, version, type CliIo } from "./process/cli-io.ts";
import { UntrustedConfig, UsageError, exitCode, exitCodeHelp } from "./process/exit-code.ts";
import {
  parseResultLimit,
  withPolicy,
  withToolOptions,
  lockFileHelp,
  collect,
} from "./commands/shared/options.ts";
import type { SearchOptions } from "./commands/search/run.ts";
import type { LockOptions } from "./commands/lock/run.ts";
import type { LoginOptions } from "./commands/login/run.ts";
import type { TrustOptions } from "./commands/trust/run.ts";

/**
 * Runs the command line on the caller's streams. Never rejects: a failure is on stderr and in the exit code, and
 * with `--json` on stdout, too.
 *
 * @param argv the words after `toolweave`.
 * @returns the exit code.
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  const output = new Output(io);
  let code: number = exitCode.completed;
  const program = createProgram({ io, output, end: (result) => (code = result) });
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    code = await reportError(error, argv, program, output);
  }
  const isSilent = code !== exitCode.completed && !output.hasResult;
  if (isSilent && argv.includes("--json")) await writeFailure(code, output);
  return code;
}

/** Writes the messages of stderr as JSON, so that a reader of JSON learns why there is no result. */
async function writeFailure(code: number, output: Output): Promise<void> {
  const message = output.messages.map((text) => text.replace(/^toolweave: /, "")).join("\n");
  const failure = { error: { exitCode: code, message } };
  const { safeJson } = await import("./render/text.ts");
  // The output may be closed.
  await output.write(`${safeJson(JSON.stringify(failure))}\n`).catch(() => {});
}

async function reportError(
  error: unknown,
  argv: readonly string[],
  program: Command,
  output: Output,
): Promise<number> {
  const verbose = argv.includes("--verbose");
  if (error instanceof OutputClosed) return exitCode.completed;
  if (error instanceof Interrupt) {
    output.printMessage("toolweave: Interrupted.");
    return exitCode.interrupted;
  }
  if (error instanceof UntrustedConfig) {
    await printError(error, verbose, output);
    return exitCode.refused;
  }
  const command = resolveCommandName(argv, program);
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCode.completed;
    // It has written the help already.
    if (error.code === "commander.help") return exitCode.usage;
    const dashed = command.endsWith(" call") || command.endsWith(" explain");
    const hint =
      dashed && error.code === "commander.unknownOption"
        ? "\nArguments of a tool are written without dashes: id=7."
        : "";
    return reportMisuse(new UsageError(toSentence(error) + hint), command, verbose, output);
  }
  if (error instanceof UsageError) return reportMisuse(error, command, verbose, output);
  await printError(error, verbose, output);
  return exitCode.toolError;
}

/** Prints an error. What displays it is loaded only then, so that `--help` does not wait for core. */
async function printError(error: unknown, verbose: boolean, output: Output): Promise<void> {
  const { describeError } = await import("./render/describe-error.ts");
  output.printMessage(describeError(error, verbose));
}

/** The command that the arguments name, as the user typed it. */
function resolveCommandName(argv: readonly string[], program: Command): string {
  const path = [program.name()];
  let command = program;
  for (const word of argv) {
    const next = command.commands.find((command) => command.name() === word);
    if (next === undefined) break;
    path.push(word);
    command = next;
  }
  return path.join(" ");
}

async function reportMisuse(
  error: UsageError,
  command: string,
  verbose: boolean,
  output: Output,
): Promise<number> {
  await printError(error, verbose, output);
  output.printMessage(`See \`${command} --help\`.`);
  return exitCode.usage;
}

/** Commander's message as a sentence, without the value of a mistyped option: it may be a secret. */
function toSentence({ message }: CommanderError): string {
  const plain = message.replace(/^error: /, "").replace(/(--[\w-]+)=[^\n]*?'/, "$1'");
  const [first = "", ...rest] = plain.split("\n");
  const sentence = first.charAt(0).toUpperCase() + first.slice(1);
  return [sentence.endsWith(".") ? sentence : `${sentence}.`, ...rest].join("\n");
}

const examples = `
Examples:
  $ toolweave inspect --openapi https://petstore3.swagger.io/api/v3/openapi.json
  $ toolweave inspect --mcp 'npx -y @modelcontextprotocol/server-memory'
  $ toolweave serve --config toolweave.json
  $ toolweave search 'find a pet by its status' --openapi openapi.yaml
  $ toolweave call get_pet_by_id petId=7 --openapi openapi.yaml
  $ toolweave approvals list
  $ toolweave policy explain delete_pet petId=7 --openapi openapi.yaml
  $ toolweave conform ./my-tools.ts

\`toolweave <command> --help\` has more examples.
`;

/** Creates the program with all commands. The implementation of a command is loaded when it is used. */
function createProgram(context: CommandContext): Command {
  const { io } = context;
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
      // Printed by `runCli`, in one place for all errors.
      outputError: () => {},
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText("after", examples + exitCodeHelp);

  addInspect(program, context);
  addLock(program, context);
  addSearch(program, context);
  addCall(program, context);
  addServe(program, context);
  addTrust(program, context);
  addLogin(program, context);
  addApprovals(program, context);
  addConform(program, context);
  addPolicy(program, context);
  return program;
}

const searchExamples = `
Examples:
  $ toolweave search cancel an invoice --openapi stripe.json
  $ toolweave search 'rotate the ssh keys' --limit 3 --openapi github.json
  $ toolweave search refund --openapi stripe.json --json | jq -r '.tools[].name'
`;

/** Registers `toolweave search`. */
function addSearch(program: Command, { io, output, end }: CommandContext): void {
  withPolicy(withToolOptions(program.command("search")))
    .summary("search for tools by keywords")
    .description(
      "Lists the tools that match some words, best match first, with their name, method and path, effect and summary. Searches names, titles, descriptions, parameters and origins.",
    )
    .argument("<words...>", "what the tool should do")
    .option("--limit <n>", "the maximum number of results: 1 to 100", parseResultLimit, 10)
    .option("--json", 'print {"tools": [...], "problems": [...], "decisions": {...}}')
    .option("--verbose", "also print the causes of an error")
    .addHelpText("after", searchExamples + exitCodeHelp)
    .action(async (words: readonly string[], options: SearchOptions) => {
      const { search } = await import("./commands/search/run.ts");
      end(await search(words, options, io, output));
    });
}

const lockExamples = `
Examples:
  $ toolweave lock                                  # the toolweave.json of this folder
  $ toolweave lock --config toolweave.json
  $ toolweave inspect --check                       # exits with 1 if a tool has changed
  $ toolweave serve --locked                        # omits changed tools

A server can change the description of a tool after you have reviewed it. Commit the lock with your
configuration, and review changes before you lock again.
`;

/** Registers `toolweave lock`. */
function addLock(program: Command, { io, output, end }: CommandContext): void {
  withToolOptions(program.command("lock"))
    .summary("record the tools in a lock file")
    .description(
      "Writes a hash of the name, schemas, description and hints of every tool, together with these texts, and prints what has changed since the last lock.",
    )
    .option("--lock-file <file>", lockFileHelp)
    .option("--json", 'print {"lock", "tools", "added": [...], "removed": [...], "changed": [...]}')
    .option("--verbose", "also print the causes of an error")
    .addHelpText("after", lockExamples + exitCodeHelp)
    .action(async (options: LockOptions) => {
      const { lock } = await import("./commands/lock/run.ts");
      end(await lock(options, io, output));
    });
}

const loginExamples = `
Examples:
  $ toolweave login linear --config toolweave.json
  $ toolweave login --mcp https://mcp.example.com/mcp

Tokens are stored in files that only this user can read, in the folder that the configuration names
as "store", otherwise next to the store of \`toolweave approvals\`.
`;

/** Registers `toolweave login`. */
function addLogin(program: Command, { io, output, end }: CommandContext): void {
  program
    .command("login")
    .summary("sign in to an MCP server")
    .description(
      "Signs in to an MCP server with OAuth: prints the address to open, waits for the redirect of the browser, and stores the tokens for later commands.",
    )
    .argument("[source]", "the name of the server in the configuration")
    .option(
      "--config <file>",
      "a toolweave.json, or another host's file with mcpServers (default: the toolweave.json here)",
    )
    .option("--mcp <url>", "the URL of the server, instead of a name", collect)
    .option("--verbose", "also print the causes of an error")
    .addHelpText("after", loginExamples + exitCodeHelp)
    .action(async (source: string | undefined, options: LoginOptions) => {
      const { login } = await import("./commands/login/run.ts");
      end(await login(source, options, io, output));
    });
}

const trustExamples = `
Examples:
  $ toolweave trust                                 # the toolweave.json of this folder
  $ toolweave trust ~/work/shop
  $ toolweave trust --list
  $ toolweave trust --revoke ~/work/shop

A toolweave.json in the current folder may come from someone else. On a terminal, the first command
that uses it asks whether to trust it; without a terminal, with --json and if CI is set the command
exits with 3. It asks again, and lists the changes, when the file changes or a file that it names:
prompts, envFiles, documents, and files and packages of the folder that programs are started with.
Trust is stored for this user only, in toolweave/trusted of $XDG_CONFIG_HOME or ~/.config.
`;

/** Registers `toolweave trust`. */
function addTrust(program: Command, { io, output, end }: CommandContext): void {
  program
    .command("trust")
    .summary("trust the toolweave.json of a folder")
    .description(
      "Lists what the toolweave.json of a folder starts, connects to and reads, and asks whether to trust it. Commands use a file in the current folder only if it is trusted and unchanged. A file that --config names needs no trust.",
    )
    .argument("[folder]", "the folder (default: the current one)")
    .option("--list", "list the trusted files")
    .option("--revoke", "revoke the trust")
    .option("--yes", "trust it without asking")
    .option("--json", "print the result as JSON, without asking")
    .option("--verbose", "also print the causes of an error")
    .addHelpText("after", trustExamples + exitCodeHelp)
    .action(async (folder: string | undefined, options: TrustOptions) => {
      const { trust } = await import("./commands/trust/run.ts");
      end(await trust(folder, options, io, output));
    });
}
