const maxLineLength = 160;

/**
 * The changed lines of a text with one change in one place: `- ` before those that go, `+ ` before those that come.
 *
 * @param hidden values that are not displayed.
 */
export function lineDiff(before: string, after: string, hidden: readonly string[]): string {
  const [old, now] = [toLines(before), toLines(after)];
  const isSame = (index: number, fromEnd: boolean): boolean => {
    const [a, b] = fromEnd ? [old.length - 1 - index, now.length - 1 - index] : [index, index];
    return a >= 0 && b >= 0 && a < old.length && b < now.length && old[a] === now[b];
  };
  let start = 0;
  while (isSame(start, false)) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && isSame(end, true)) end++;
  const display = (mark: string, lines: readonly string[]): readonly string[] =>
    lines.slice(start, lines.length - end).map((line) => `${mark} ${hide(line, hidden)}`);
  return [`@@ line ${start + 1} @@`, ...display("-", old), ...display("+", now)].join("\n");
}

function toLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function hide(line: string, values: readonly string[]): string {
  let clean = line;
  for (const value of values) clean = clean.replaceAll(value, "[redacted]");
  return clean.length > maxLineLength ? `${clean.slice(0, maxLineLength)}…` : clean;
}
