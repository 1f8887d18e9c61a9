const maxPatternLength = 300;
const maxTextLength = 200;
/** Back-references, and groups that are repeated: native matching may take exponential time. */
const isCostly = /\\[1-9k]|\)[*+{?]/;
const unbounded = /[*+]|\{[0-9]*,\}/g;
const maxUnbounded = 3;

const compiled = new Map<string, RegExp | undefined>();

/**
 * Tests a text against a pattern of a schema, which may be hostile.
 *
 * @returns undefined if the pattern is invalid, or if the test may take long: the server decides then.
 */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  if (text.length > maxTextLength) return undefined;
  if (!compiled.has(pattern)) {
    if (compiled.size > 1000) compiled.clear();
    compiled.set(pattern, compile(pattern));
  }
  return compiled.get(pattern)?.test(text);
}

function compile(pattern: string): RegExp | undefined {
  if (pattern.length > maxPatternLength || isCostly.test(pattern)) return undefined;
  if ((pattern.match(unbounded)?.length ?? 0) > maxUnbounded) return undefined;
  try {
    return new RegExp(pattern, "u");
  } catch {
    return undefined;
  }
}
