/**
 * Text as lines of at most `width` characters, broken between words; a word that is longer than a
 * line is broken inside.
 *
 * @param indent what every line but the first begins with.
 */
export function wrapped(text: string, width: number, indent = ""): string[] {
  const lines: string[] = [];
  const start = /^ */.exec(text)?.[0] ?? "";
  let line = start;
  let isEmpty = true;
  for (const word of text.slice(start.length).split(" ")) {
    let rest = word;
    if (!isEmpty && line.length + 1 + rest.length > width) {
      lines.push(line);
      line = indent;
      isEmpty = true;
    }
    if (!isEmpty) line += " ";
    while (line.length + rest.length > width) {
      const room = Math.max(1, width - line.length);
      lines.push(line + rest.slice(0, room));
      rest = rest.slice(room);
      line = indent;
    }
    line += rest;
    isEmpty = false;
  }
  return [...lines, line.trimEnd()];
}
