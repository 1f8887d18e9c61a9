/** A command of a shell block. */
export interface ShellCommand {
  /** The line of the page. */
  readonly line: number;
  /** Without quotes, redirections and variables that are set for it. */
  readonly words: readonly string[];
  /** It is the form of a command, with `[options]` and `<placeholders>`. */
  readonly isForm: boolean;
}

const word = /'[^']*'|"(?:[^"\\]|\\.)*"|<\w[^<>]*>|\[[^\]]*\]|\$\([^)]*\)|[^\s'"<>|&;)]/y;
const operator = /&&|\|\||>>|<\(|[|;<>)]/y;

/**
 * Reads the commands of a block: one for each part of a line between `&&`, `|` and `;`, and those of `<(…)`.
 *
 * @param first the line of the page on which the block begins.
 * @throws Error for a line that is not understood.
 */
export function shellCommands(code: string, first: number): readonly ShellCommand[] {
  return code.split("\n").flatMap((text, index) => readLine(text, first + index));
}

function readLine(text: string, line: number): readonly ShellCommand[] {
  const commands: string[][] = [[]];
  let isForm = false;
  let at = 0;
  const read = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [];
    at += found?.length ?? 0;
    return found;
  };
  while (at < text.length) {
    if (read(/\s+/y) !== undefined) continue;
    if (text[at] === "#") break;
    const start = at;
    let value = "";
    for (let part = read(word); part !== undefined; part = read(word)) {
      isForm ||= /^(?:<\w|\[)/.test(part);
      value += /^['"]/.test(part) ? part.slice(1, -1) : part;
    }
    if (at > start) {
      commands.at(-1)?.push(value);
      continue;
    }
    const found = read(operator);
    if (found === undefined) throw new Error(`it is not clear what "${text.slice(at)}" means`);
    // In the form of a command, a bar is between alternatives.
    if (found.startsWith(">")) {
      read(/\s+/y);
      read(/'[^']*'|"[^"]*"|\S+/y);
    } else if (!(isForm && found === "|") && found !== ")") commands.push([]);
  }
  return commands
    .map((words) => words.slice(words.findIndex((one) => !/^[A-Z_][A-Z0-9_]*=/.test(one))))
    .filter(([program]) => program !== undefined && program !== "source")
    .map((words) => ({ line, words, isForm }));
}
