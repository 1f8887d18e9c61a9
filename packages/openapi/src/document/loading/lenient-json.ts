/**
 * JSON without what it must not have, and authors write: comments, and commas before a closing bracket. Everything keeps
 * its place in the text.
 *
 * @returns undefined when there is nothing of that kind.
 */
export function plainJson(text: string): string | undefined {
  const blanks: [start: number, end: number][] = [];
  /** Where a comma is that nothing has followed yet but blanks and comments. */
  let comma = -1;
  // Strings, comments, single characters: each begins behind the last one, so that nothing is looked at twice.
  const parts = /"[^"\\]*(?:\\[^][^"\\]*)*"?|\/\/[^\n]*|\/\*|[^\s]/g;
  for (let part = parts.exec(text); part !== null; part = parts.exec(text)) {
    const { 0: token, index } = part;
    if (token === "/*") {
      const close = text.indexOf("*/", index + 2);
      if (close === -1) break;
      parts.lastIndex = close + 2;
    }
    if (token === "/*" || token.startsWith("//")) blanks.push([index, parts.lastIndex]);
    else {
      if (comma !== -1 && /[\]}]/.test(token)) blanks.push([comma, comma + 1]);
      comma = token === "," ? index : -1;
    }
  }
  if (blanks.length === 0) return undefined;
  let plain = "";
  let from = 0;
  for (const [start, end] of blanks.toSorted(([a], [b]) => a - b)) {
    plain += text.slice(from, start) + text.slice(start, end).replace(/[^\n]/g, " ");
    from = end;
  }
  return plain + text.slice(from);
}
