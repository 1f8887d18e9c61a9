import { programOptions, type OperandUse } from "./program-options.ts";

/** An option that was given. */
export interface GivenOption {
  /** A letter, or a name without its dashes. */
  readonly name: string;
  readonly marks: string;
  /** As many as the option has; a missing one is empty. */
  readonly values: readonly string[];
}

/** Arguments, read by the table of the program's options. */
export interface ReadArguments {
  readonly use: OperandUse;
  readonly options: readonly GivenOption[];
  readonly operands: readonly string[];
  /** The first option that the table does not have. */
  readonly unknown?: string;
}

/** A row of the table, read. */
interface Options {
  readonly use: OperandUse;
  /** Marks by letter. */
  readonly letters: ReadonlyMap<string, string>;
  /** Marks by name. */
  readonly names: ReadonlyMap<string, string>;
  /** Other options are harmless. */
  readonly allowsOthers: boolean;
  /** A letter has a word of its own, and what follows an operand is no option. */
  readonly isSingle: boolean;
}

const known = new Map<string, Options>();

/** Returns true for a program whose options are all known. */
export function hasOptions(program: string): boolean {
  return Object.hasOwn(programOptions, program);
}

/**
 * Reads the arguments of a program as `getopt_long` of glibc does: clusters of letters, attached values, beginnings of
 * long names, and options between operands. Undefined: the table does not have the program.
 */
export function readOptions(program: string, args: readonly string[]): ReadArguments | undefined {
  const text = hasOptions(program) ? programOptions[program] : undefined;
  if (text === undefined) return undefined;
  let table = known.get(program);
  if (table === undefined) known.set(program, (table = readTable(text)));
  return read(table, args);
}

function readTable(text: string): Options {
  const [use = "", ...words] = text.trim().split(/\s+/);
  const letters = new Map<string, string>();
  const names = new Map<string, string>();
  for (const word of words) {
    const [, dashes, name = "", marks = ""] = /^(--?)([\w#:-]+|\.)(.*)$/.exec(word) ?? [];
    if (dashes === "--") names.set(name, marks);
    else if (name === "#") for (const digit of "0123456789") letters.set(digit, "");
    else for (const letter of name) letters.set(letter, marks);
  }
  return {
    use: use as OperandUse,
    letters,
    names,
    allowsOthers: words.includes("any"),
    isSingle: words.includes("single"),
  };
}

function read(table: Options, args: readonly string[]): ReadArguments {
  const options: GivenOption[] = [];
  const operands: string[] = [];
  let unknown: string | undefined;
  let at = 0;
  const add = (name: string, marks: string, attached?: string): void => {
    const count = marks.replace(/[^=<>@]/g, "").length;
    const isOptional = marks.includes("?");
    const values = attached !== undefined && (count > 0 || isOptional) ? [attached] : [];
    while (values.length < count) values.push(args[(at += 1)] ?? "");
    options.push({ name, marks, values });
  };
  const addLetters = (word: string): void => {
    for (let index = 1; index < word.length; index++) {
      const letter = word[index] as string;
      const marks = table.letters.get(letter);
      const rest = word.slice(index + 1);
      if (marks === undefined && !table.allowsOthers) unknown ??= `-${letter}`;
      if (marks === undefined && /^[/.]/.test(rest) && !table.letters.has(rest)) {
        options.push({ name: letter, marks: "", values: [rest] });
        return;
      }
      const takesRest = marks !== undefined && /[=<>@?]/.test(marks);
      if (table.isSingle && rest !== "" && !(takesRest && /^\d+$/.test(rest))) unknown ??= word;
      add(letter, marks ?? "", takesRest && rest !== "" ? rest : undefined);
      if (takesRest) return;
    }
  };
  for (; at < args.length; at++) {
    const word = args[at] as string;
    const isOperand =
      word === "-" || !word.startsWith("-") || (table.isSingle && operands.length > 0);
    if (isOperand) operands.push(word);
    else if (word === "--") {
      operands.push(...args.slice(at + 1));
      break;
    } else if (!word.startsWith("--")) addLetters(word);
    else {
      const [given = ""] = word.slice(2).split("=", 1);
      const name = completeName(table.names, given);
      if (name === undefined && !table.allowsOthers) unknown ??= `--${given}`;
      const value = word.includes("=") ? word.slice(given.length + 3) : undefined;
      if (name !== undefined) add(name, table.names.get(name) as string, value);
      // Its value can be a path.
      else options.push({ name: given, marks: "", values: value === undefined ? [] : [value] });
    }
  }
  return { use: table.use, options, operands, ...(unknown === undefined ? {} : { unknown }) };
}

/** The name that begins so; undefined: none, or several. */
function completeName(names: ReadonlyMap<string, string>, given: string): string | undefined {
  if (names.has(given)) return given;
  const begun = [...names.keys()].filter((name) => name.startsWith(given));
  return begun.length === 1 ? begun[0] : undefined;
}
