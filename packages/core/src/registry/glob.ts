/**
 * Makes a test for names out of globs: `*` is any run of characters, `?` is one. A name passes when
 * one of them matches it whole.
 */
export function globMatcher(globs: readonly string[]): (name: string) => boolean {
  if (globs.length === 0) return () => false;
  const literals = new Set<string>();
  const patterns: RegExp[] = [];
  for (const glob of globs) {
    if (!/[*?]/.test(glob)) literals.add(glob);
    else patterns.push(globPattern(glob));
  }
  return (name) => literals.has(name) || patterns.some((pattern) => pattern.test(name));
}

function globPattern(glob: string): RegExp {
  const body = glob
    // Runs of stars mean one, and must not multiply the matcher's choices.
    .replace(/\*+/g, "*")
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", "[^]*")
    .replaceAll("?", "[^]");
  return new RegExp(`^${body}$`);
}
