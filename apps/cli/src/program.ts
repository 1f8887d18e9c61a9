import { Command, CommanderError } from "commander";
import { addApprovals } from "./commands/approvals/command.ts";
import { addCall } from "./commands/call/command.ts";
import { addCompletion } from "./commands/completion/command.ts";
import { addConform } from "./commands/conform/command.ts";
import { addDb } from "./commands/db/command.ts";
import { addExport } from "./commands/export/command.ts";
import { addFmt } from "./commands/fmt/command.ts";
import { addImport } from "./commands/hosts/import.ts";
import { addInstall } from "./commands/hosts/install.ts";
import { addInspect } from "./commands/inspect/command.ts";
import { addLock } from "./commands/lock.ts";
import { addLogin } from "./commands/login.ts";
import { addLsp } from "./commands/lsp/command.ts";
import { addPolicy } from "./commands/policy/command.ts";
import { addAdd } from "./commands/setup/add.ts";
import { addDoctor } from "./commands/doctor/command.ts";
import { addInit } from "./commands/setup/init.ts";
import { addRepl } from "./commands/repl/command.ts";
import { addSchedule } from "./commands/schedule/command.ts";
import { addStarlark } from "./commands/starlark/command.ts";
import { addSearch } from "./commands/search.ts";
import { addServe } from "./commands/serve/command.ts";
import { addStudio } from "./commands/studio/command.ts";
import { addStubs } from "./commands/stubs.ts";
import { addTest } from "./commands/test/command.ts";
import { addToken } from "./commands/token.ts";
import { addTrust } from "./commands/trust.ts";
import { addTypes } from "./commands/types/command.ts";
import { addValidate } from "./commands/validate/command.ts";
import { Output, OutputClosed, type CommandContext } from "./process/output.ts";
import { Interrupt, version, type CliIo } from "./process/cli-io.ts";
import {
  exitCode,
  exitCodeHelp,
  FileError,
  SourceFailure,
  UntrustedConfig,
  UsageError,
} from "./process/exit-code.ts";

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
    await program.parseAsync(withoutHelpOfNothing(argv, program), { from: "user" });
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
  const verbose = argv.includes("--verbose") || argv.includes("-v");
  if (error instanceof OutputClosed) return exitCode.completed;
  if (error instanceof Interrupt) {
    output.printMessage("toolweave: Interrupted.");
    return exitCode.interrupted;
  }
  if (error instanceof UntrustedConfig) {
    await printError(error, verbose, output);
    return exitCode.refused;
  }
  if (error instanceof SourceFailure) {
    await printError(error, verbose, output);
    return exitCode.sourceFailed;
  }
  const path = resolveCommand(argv, program);
  const command = path.map((each) => each.name()).join(" ");
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCode.completed;
    // It has written the help already.
    if (error.code === "commander.help") return exitCode.usage;
    const text = describeFlagValue(error, path) ?? toSentence(error) + hintFor(error, command);
    return reportMisuse(new UsageError(text), command, verbose, output);
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

/** The commands that the arguments name, the program first. */
function resolveCommand(argv: readonly string[], program: Command): readonly Command[] {
  const path = [program];
  for (const word of argv) {
    const next = path.at(-1)?.commands.find((command) => command.name() === word);
    if (next === undefined) break;
    path.push(next);
  }
  return path;
}

/** Without `help` before a command that does not exist: its error names the near ones. */
function withoutHelpOfNothing(argv: readonly string[], program: Command): readonly string[] {
  const [first, second] = argv;
  if (first !== "help" || second === undefined || second.startsWith("-")) return argv;
  const exists = second === "help" || resolveCommand([second], program).length > 1;
  return exists ? argv : [second];
}

/** Describes a value after an option that takes none, such as `--json=yes`; undefined: the error is another one. */
function describeFlagValue(
  { code, message }: CommanderError,
  path: readonly Command[],
): string | undefined {
  const flag = /(--[\w-]+)=/.exec(message)?.[1];
  if (code !== "commander.unknownOption" || flag === undefined) return undefined;
  const exists = path.some(({ options }) => options.some(({ long }) => long === flag));
  return exists ? `${flag} takes no value: write ${flag} alone.` : undefined;
}

function hintFor({ code }: CommanderError, command: string): string {
  const takesArguments = command.endsWith(" call") || command.endsWith(" explain");
  return takesArguments && code === "commander.unknownOption"
    ? "\nArguments of a tool are written without dashes: id=7."
    : "";
}

async function reportMisuse(
  error: UsageError,
  command: string,
  verbose: boolean,
  output: Output,
): Promise<number> {
  await printError(error, verbose, output);
  if (!(error instanceof FileError)) output.printMessage(`See \`${command} --help\`.`);
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
  $ toolweave init
  $ toolweave add @modelcontextprotocol/server-memory
  $ toolweave install claude-desktop
  $ toolweave inspect https://petstore3.swagger.io/api/v3/openapi.json
  $ toolweave inspect --mcp 'npx -y @modelcontextprotocol/server-memory'
  $ toolweave serve toolweave.json
  $ toolweave search openapi.yaml 'find a pet by its status'
  $ toolweave call openapi.yaml get_pet_by_id petId=7
  $ toolweave call ./tools.ts greet name=Ada
  $ toolweave approvals list
  $ toolweave policy explain openapi.yaml delete_pet petId=7
  $ toolweave conform ./my-tools.ts

\`toolweave <command> --help\` has more examples.
`;

/** Creates the program with all commands. The implementation of a command is loaded when it is used. */
export function createProgram(context: CommandContext): Command {
  const { io, output } = context;
  const program = new Command("toolweave")
    .description(
      "Lists, calls, serves and governs the tools of MCP servers and OpenAPI documents, and tests any tools.",
    )
    .version(version(), "--version", "print the version")
    .option("--no-color", "print no colours; the environment variable NO_COLOR does the same")
    .configureHelp({ showGlobalOptions: true })
    .hook("preAction", (_, command) => {
      if (command.optsWithGlobals()["color"] === false) output.disableColors();
    })
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

  addInit(program, context);
  addAdd(program, context);
  addImport(program, context);
  addInspect(program, context);
  addLock(program, context);
  addTypes(program, context);
  addSearch(program, context);
  addCall(program, context);
  addServe(program, context);
  addStudio(program, context);
  addSchedule(program, context);
  addValidate(program, context);
  addTest(program, context);
  addRepl(program, context);
  addFmt(program, context);
  addStubs(program, context);
  addStarlark(program, context);
  addLsp(program, context);
  addExport(program, context);
  addInstall(program, context);
  addToken(program, context);
  addTrust(program, context);
  addDoctor(program, context);
  addLogin(program, context);
  addApprovals(program, context);
  addDb(program, context);
  addConform(program, context);
  addPolicy(program, context);
  addCompletion(program, context);
  for (const command of program.commands) addVerbose(command);
  return program;
}

/** Gives every command `-v, --verbose`; some have a description of their own. */
function addVerbose(command: Command): void {
  for (const below of command.commands) addVerbose(below);
  if (command.commands.length > 0) return;
  const declared = command.options.find(({ long }) => long === "--verbose");
  if (declared === undefined) {
    command.option("-v, --verbose", "also print the causes of an error");
  } else {
    declared.flags = "-v, --verbose";
    declared.short = "-v";
  }
}
