import type { PathUse } from "./script.ts";

/**
 * The paths that a word of a program can be: the word, what is attached to the letter of an option (`-ofile`), what
 * follows `=`, `:`, `,` or `@` (`of=file`, `HEAD:.env` of git, `f=@file` of curl), and what begins with a slash or a
 * dot in an option (`-MF../x`). Addresses such as `https://host/path` are no paths.
 */
function toPossiblePaths(word: string): readonly string[] {
  if (!/^-|[=:,@]/.test(word)) return word === "" || word.startsWith("//") ? [] : [word];
  const isOption = word.startsWith("-");
  const paths = isOption
    ? [word.slice(2), /^-[A-Za-z]{1,2}([/.].*)/s.exec(word)?.[1] ?? ""]
    : [word];
  for (let at = 0; at < word.length && paths.length < maxPaths; at++) {
    if (/[=:,@]/.test(word[at] as string)) paths.push(word.slice(at + 1));
  }
  return [...new Set(paths)].filter((path) => path !== "" && !/^-|^\/\/|^[\w+.-]+:\/\//.test(path));
}

/** Maximum number of paths that one word is taken for. */
const maxPaths = 20;

/** The uses of the paths that words of a program can be. */
export function toPossibleUses(
  words: readonly string[],
  access: PathUse["access"],
): readonly Omit<PathUse, "cwd">[] {
  const uses: Omit<PathUse, "cwd">[] = [];
  for (const word of words) {
    for (const path of toPossiblePaths(word)) uses.push({ path, access, isPossible: true });
  }
  return uses;
}
