/**
 * Makes a test for names out of globs: `*` is any run of characters, `?` is one. A name passes when
 * one of them matches it whole.
 */
export function globMatcher(globs: readonly string[]): (name: string) => boolean {
  if (globs.length === 0) return () => false;
  const literals = new Set<string>();
  const patterns: Pattern[] = [];
  for (const glob of globs) {
    const first = glob.search(/[*?]/);
    if (first === -1) literals.add(glob);
    else patterns.push({ glob, start: glob.slice(0, first), isStart: /^[^*?]*\*$/.test(glob) });
  }
  return (name) => {
    if (literals.has(name)) return true;
    for (const { glob, start, isStart } of patterns) {
      // Most names begin otherwise, and most globs end with their only star.
      if (name.startsWith(start) && (isStart || matches(glob, name))) return true;
    }
    return false;
  };
}

interface Pattern {
  readonly glob: string;
  /** The text before the first wildcard. */
  readonly start: string;
  /** A star behind it is all that follows. */
  readonly isStart: boolean;
}

/**
 * Goes back to the last star only, so that time grows with the product of both lengths: a regular
 * expression with several stars can be made to try for ever, and names come from outside.
 */
function matches(glob: string, name: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let index = 0; index < name.length;) {
    if (glob[at] === "*") {
      star = at++;
      resume = index;
    } else if (at < glob.length && (glob[at] === "?" || glob[at] === name[index])) {
      at += 1;
      index += 1;
    } else if (star === -1) return false;
    else {
      at = star + 1;
      index = ++resume;
    }
  }
  while (glob[at] === "*") at += 1;
  return at === glob.length;
}
