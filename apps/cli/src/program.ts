import { CommanderError, type Command } from "commander";
import type { CliIo } from "./process/cli-io.ts";
import { commands } from "./commands.ts";
import { exitCode } from "./process/exit-code.ts";
import { Interrupt } from "./process/interrupt.ts";
import { Output, OutputClosed } from "./process/output.ts";
import { UntrustedConfig, UsageError } from "./process/errors.ts";

/**
 * The command line, on streams of the caller's. Never rejects: what goes wrong is on stderr and in the exit code, and
 * with `--json` on stdout, too.
 *
 * @param argv the words after `toolweave`.
 * @returns the exit code.
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  const output = new Output(io);
  let code: number = exitCode.completed;
  const program = commands({ io, output, end: (result) => (code = result) });
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    code = await failed(error, argv, program, output);
  }
  const isSilent = code !== exitCode.completed && !output.hasResult;
  if (isSilent && argv.includes("--json")) await writeFailure(code, output);
  return code;
}

/** Whoever reads JSON reads why there is none, too: what was said on stderr. */
async function writeFailure(code: number, output: Output): Promise<void> {
  const message = output.said.map((text) => text.replace(/^toolweave: /, "")).join("\n");
  const failure = { error: { exitCode: code, message } };
  const { safeJson } = await import("./render/safe-text.ts");
  // Nobody may be there to read it.
  await output.write(`${safeJson(JSON.stringify(failure))}\n`).catch(() => {});
}

async function failed(
  error: unknown,
  argv: readonly string[],
  program: Command,
  output: Output,
): Promise<number> {
  const verbose = argv.includes("--verbose");
  if (error instanceof OutputClosed) return exitCode.completed;
  if (error instanceof Interrupt) {
    output.say("toolweave: Interrupted.");
    return exitCode.interrupted;
  }
  if (error instanceof UntrustedConfig) {
    await sayError(error, verbose, output);
    return exitCode.refused;
  }
  const command = commandOf(argv, program);
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCode.completed;
    // It has written the help already.
    if (error.code === "commander.help") return exitCode.usage;
    const dashed = command.endsWith(" call") || command.endsWith(" explain");
    const hint =
      dashed && error.code === "commander.unknownOption"
        ? "\nA tool's arguments are written without dashes: id=7."
        : "";
    return misused(new UsageError(plainMessage(error) + hint), command, verbose, output);
  }
  if (error instanceof UsageError) return misused(error, command, verbose, output);
  await sayError(error, verbose, output);
  return exitCode.toolError;
}

/** Prints an error. What displays it is loaded only then, so that `--help` does not wait for core. */
async function sayError(error: unknown, verbose: boolean, output: Output): Promise<void> {
  const { describeError } = await import("./render/describe-error.ts");
  output.say(describeError(error, verbose));
}

/** The command that is meant, as it is written. */
function commandOf(argv: readonly string[], program: Command): string {
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

async function misused(
  error: UsageError,
  command: string,
  verbose: boolean,
  output: Output,
): Promise<number> {
  await sayError(error, verbose, output);
  output.say(`See \`${command} --help\`.`);
  return exitCode.usage;
}

/** Commander's message as a sentence, without the value of a mistyped option: it may be a secret. */
function plainMessage({ message }: CommanderError): string {
  const plain = message.replace(/^error: /, "").replace(/(--[\w-]+)=[^\n]*?'/, "$1'");
  const [first = "", ...rest] = plain.split("\n");
  const sentence = first.charAt(0).toUpperCase() + first.slice(1);
  return [sentence.endsWith(".") ? sentence : `${sentence}.`, ...rest].join("\n");
}
