import type { PathUse } from "./script.ts";

/** The paths that a word of a program can be: the word, or the value in it. */
function toPossiblePaths(word: string): readonly string[] {
  if (!word.startsWith("-")) {
    // `HEAD:.env` of git, `key=value`.
    const value = /^[^/=:]+[=:](.+)$/s.exec(word)?.[1];
    return value === undefined ? [word] : [word, value];
  }
  const value =
    /^--?[\w-]+=(.+)$/s.exec(word)?.[1] ?? /^-[A-Za-z]((?:\.\.)?\/.+|\..+)$/s.exec(word)?.[1];
  return value === undefined ? [] : [value];
}

/** The uses of the paths that words of a program can be. */
export function toPossibleUses(
  words: readonly string[],
  access: PathUse["access"],
): readonly Omit<PathUse, "cwd">[] {
  return words
    .flatMap((word) => toPossiblePaths(word))
    .map((path) => ({ path, access, isPossible: true }));
}
