import { createRequire } from "node:module";
import { Command, CommanderError } from "commander";
import type { CallOptions } from "./call.ts";
import type { CliIo } from "./cli-io.ts";
import { describeError } from "./describe-error.ts";
import { exitCode, exitCodeHelp } from "./exit-code.ts";
import { callExamples, examples, inspectExamples } from "./help-text.ts";
import type { InspectOptions } from "./inspect.ts";
import { Interrupt } from "./interrupt.ts";
import { Output, OutputClosed } from "./output.ts";
import { UsageError } from "./usage-error.ts";

/**
 * The command line, on streams of the caller's. Never rejects: what goes wrong is on stderr and in the exit code.
 *
 * @param argv the words after `toolweave`.
 * @returns the exit code.
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  const output = new Output(io);
  let code: number = exitCode.completed;
  const program = commands(io, output, (result) => (code = result));
  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    return failed(error, argv, output);
  }
}

function failed(error: unknown, argv: readonly string[], output: Output): number {
  const verbose = argv.includes("--verbose");
  if (error instanceof OutputClosed) return exitCode.completed;
  if (error instanceof Interrupt) {
    output.say("toolweave: Interrupted.");
    return exitCode.interrupted;
  }
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCode.completed;
    // It has written the help already.
    if (error.code === "commander.help") return exitCode.usage;
    const dashed = argv[0] === "call" && error.code === "commander.unknownOption";
    const hint = dashed ? "\nA tool's arguments are written without dashes: id=7." : "";
    return misused(new UsageError(plainMessage(error) + hint), argv, verbose, output);
  }
  if (error instanceof UsageError) return misused(error, argv, verbose, output);
  output.say(describeError(error, verbose));
  return exitCode.toolError;
}

function misused(
  error: UsageError,
  argv: readonly string[],
  verbose: boolean,
  output: Output,
): number {
  const [command] = argv;
  const help = command === "inspect" || command === "call" ? `toolweave ${command}` : "toolweave";
  output.say(describeError(error, verbose));
  output.say(`See \`${help} --help\`.`);
  return exitCode.usage;
}

/** Commander's message as a sentence, without the value of a mistyped option: it may be a secret. */
function plainMessage({ message }: CommanderError): string {
  const plain = message.replace(/^error: /, "").replace(/(--[\w-]+)=[^\n]*?'/, "$1'");
  const [first = "", ...rest] = plain.split("\n");
  const sentence = first.charAt(0).toUpperCase() + first.slice(1);
  return [sentence.endsWith(".") ? sentence : `${sentence}.`, ...rest].join("\n");
}

function commands(io: CliIo, output: Output, end: (code: number) => void): Command {
  const program = new Command("toolweave")
    .description("Lists and calls the tools that OpenAPI documents make.")
    .version(version(), "--version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      // Said by `failed`, in one place for all errors.
      outputError: () => {},
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText("after", examples + exitCodeHelp);

  withApiOptions(program.command("inspect"))
    .summary("list the tools of a document")
    .description(
      "Lists the tools of OpenAPI documents: name, method and path, what a call does, summary; then what could not become a tool.",
    )
    .option("--filter <glob>", "only tools of these names (list_*); may be repeated", collect)
    .option("--json", 'print {"tools": [...], "problems": [...]}, with every schema')
    .option("--verbose", "say also what led to an error")
    .addHelpText("after", inspectExamples + exitCodeHelp)
    .action(async (options: InspectOptions) => {
      const { inspect } = await import("./inspect.ts");
      end(await inspect(options, io, output));
    });

  withApiOptions(program.command("call"))
    .summary("call a tool")
    .description(
      "Calls one tool and prints its answer. Calls that may change something ask first, on a terminal.",
    )
    .argument("<tool>", "its name, as `toolweave inspect` prints it")
    .argument(
      "[key=value...]",
      "arguments, read as the tool's schema says; a.b=value reaches into an object, a repeated key makes a list, JSON works for both",
    )
    .option("--args <json|@file|->", "all arguments as one JSON object, from a file or from stdin")
    .option("--yes", "approve the call without asking")
    .option("--json", "print the whole outcome as JSON")
    .option("--verbose", "say also what led to an error")
    .addHelpText("after", callExamples + exitCodeHelp)
    .action(async (tool: string, words: readonly string[], options: CallOptions) => {
      const { call } = await import("./call.ts");
      end(await call(tool, words, options, io, output));
    });
  return program;
}

/** What both commands need to know of the documents and of the API behind them. */
function withApiOptions(command: Command): Command {
  return command
    .requiredOption("--openapi <url|file>", "an OpenAPI document; may be repeated", collect)
    .option("--base-url <url>", "where the API is, instead of what the document says")
    .option("--header <name: value>", "sent with every request; may be repeated", collect)
    .option(
      "--auth <credentials>",
      "bearer:TOKEN, basic:USER:PASSWORD, apiKey:VALUE or apiKey:SCHEME=VALUE; may be repeated",
      collect,
    )
    .option(
      "--allow-origin <origin>",
      "may be reached although it is private; may be repeated",
      collect,
    )
    .option(
      "--timeout <ms>",
      "for loading and for the call; 0: none (default: 60000)",
      milliseconds,
    );
}

function collect(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), value];
}

function milliseconds(value: string): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && number <= 2_147_483_647) return number;
  throw new UsageError("--timeout must be a number of milliseconds, such as 5000.");
}

function version(): string {
  // By name: where this file lies differs between the sources and a build.
  const manifest = createRequire(import.meta.url)("toolweave/package.json") as { version: string };
  return manifest.version;
}
