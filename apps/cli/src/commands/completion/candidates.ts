import type { Argument, Command, Option } from "commander";
import { splitSources } from "../../input/source-words.ts";

/** One possible word. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** Where the cursor is on a command line. */
interface Position {
  readonly command: Command;
  /** The words before the cursor that are neither commands, options and their values, nor sources before a tool. */
  readonly operands: readonly string[];
  /** The option whose value is being typed. */
  readonly option: Option | undefined;
  /** Options have ended with `--`. */
  readonly isLiteral: boolean;
  readonly sources: NamedSources;
}

/** The sources before the cursor. */
export interface NamedSources {
  /** The value of `--config`. */
  readonly config?: string;
  /** The values of `--openapi`. */
  readonly openapi: readonly string[];
  /** Those without an option, of any kind. */
  readonly words: readonly string[];
}

/** Lists the tools for a position in which one is named. */
export type ToolNames = (sources: NamedSources) => Promise<readonly string[]>;

/**
 * The words that can stand where the cursor is: commands, options, their values, and names of tools. None: a file, or
 * something that only the user knows.
 *
 * @param words before the cursor, without the name of the program.
 * @param current the start of the word at the cursor.
 */
export async function listCandidates(
  program: Command,
  words: readonly string[],
  current: string,
  toolNames: ToolNames,
): Promise<readonly Candidate[]> {
  const position = findPosition(program, words);
  const all = await candidatesAt(position, current, toolNames);
  return all.filter(({ value }) => value.startsWith(current));
}

function findPosition(program: Command, words: readonly string[]): Position {
  let command = program;
  let option: Option | undefined;
  let isLiteral = false;
  const operands: string[] = [];
  const openapi: string[] = [];
  let config: string | undefined;
  for (const word of words) {
    if (option !== undefined) {
      if (option.long === "--config") config = word;
      if (option.long === "--openapi") openapi.push(word);
      option = undefined;
    } else if (isLiteral) operands.push(word);
    else if (word === "--") isLiteral = true;
    else if (word.startsWith("-")) {
      const found = command.options.find(({ short, long }) => word === long || word === short);
      if (found?.required === true) option = found;
    } else {
      const next = operands.length === 0 ? subcommand(command, word) : undefined;
      if (next === undefined) operands.push(word);
      else command = next;
    }
  }
  const namesTool = command.registeredArguments[0]?.name() === "tool";
  const split = namesTool ? splitSources(operands) : { sources: [], rest: operands };
  const sources = { openapi, words: split.sources, ...(config === undefined ? {} : { config }) };
  return { command, operands: split.rest, option, isLiteral, sources };
}

function subcommand(command: Command, word: string): Command | undefined {
  return command.commands.find((one) => one.name() === word);
}

async function candidatesAt(
  { command, operands, option, isLiteral, sources }: Position,
  current: string,
  toolNames: ToolNames,
): Promise<readonly Candidate[]> {
  if (option !== undefined) return choices(option);
  if (current.startsWith("-") && !isLiteral) {
    const help = command.createHelp();
    return help
      .visibleOptions(command)
      .flatMap(({ long, description }) =>
        long === undefined || long === null
          ? []
          : [{ value: long, description: firstClause(description) }],
      );
  }
  const isHelp = command.parent === null && operands[0] === "help";
  if (command.commands.length > 0 && (operands.length === 0 || isHelp)) {
    const commands = command.createHelp().visibleCommands(command);
    return commands.map((one) => ({ value: one.name(), description: one.summary() }));
  }
  const { registeredArguments: args } = command;
  const argument = args[Math.min(operands.length, args.length - 1)];
  if (argument === undefined) return [];
  if (operands.length >= args.length && !argument.variadic) return [];
  if (argument.name() !== "tool") return choices(argument);
  const names = await toolNames(sources);
  return names.map((value) => ({ value, description: "tool" }));
}

function choices({ argChoices = [] }: Option | Argument): readonly Candidate[] {
  return argChoices.map((value) => ({ value, description: "" }));
}

function firstClause(description: string): string {
  return description.split(/[;(]/, 1)[0]?.trim() ?? "";
}
