import { UsageError } from "../process/exit-code.ts";

/**
 * The words of a command line, as a POSIX shell would split it: quotes and backslashes keep white
 * space. Nothing is expanded, and no shell is started.
 *
 * @param option what errors call it.
 * @throws UsageError for a quote that is not closed, and for no words at all.
 */
export function splitCommand(line: string, option: string): readonly [string, ...string[]] {
  const words: string[] = [];
  const part = /\s*(?:((?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+)|$)/gsy;
  let at = 0;
  while (at < line.length) {
    part.lastIndex = at;
    const match = part.exec(line);
    if (match === null) {
      throw new UsageError(
        `${option}: a quote is not closed, or the command ends with a backslash.`,
      );
    }
    at = part.lastIndex;
    if (match[1] !== undefined) words.push(unquote(match[1]));
  }
  const [first, ...rest] = words;
  if (first === undefined || first === "") throw new UsageError(`${option} contains no command.`);
  return [first, ...rest];
}

function unquote(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs,
    (_, single: string | undefined, double: string | undefined, escaped: string | undefined) =>
      single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? "",
  );
}
