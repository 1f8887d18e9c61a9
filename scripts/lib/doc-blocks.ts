/** A fenced code block that is to be executed. */
export interface DocBlock {
  /** Relative to the root. */
  readonly file: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  readonly language: "js" | "ts";
  readonly code: string;
}

const languages = new Map<string, "js" | "ts">([
  ["js", "js"],
  ["javascript", "js"],
  ["mjs", "js"],
  ["ts", "ts"],
  ["typescript", "ts"],
  ["mts", "ts"],
]);

/** The JavaScript and TypeScript blocks of a Markdown page, in order. */
export function docBlocks(page: string, file: string): DocBlock[] {
  const blocks: DocBlock[] = [];
  const lines = page.split("\n");
  for (let index = 0; index < lines.length; index++) {
    const open = /^(\s*)(`{3,}|~{3,})\s*([\w-]*)/.exec(lines[index]!);
    if (open === null) continue;
    const [, indent = "", fence = "", language = ""] = open;
    const start = index;
    const close = new RegExp(`^\\s*${fence[0]}{${fence.length},}\\s*$`);
    const code: string[] = [];
    while (++index < lines.length && !close.test(lines[index]!)) {
      const line = lines[index]!;
      code.push(line.startsWith(indent) ? line.slice(indent.length) : line.trimStart());
    }
    const kind = languages.get(language.toLowerCase());
    if (kind !== undefined) {
      blocks.push({ file, line: start + 1, language: kind, code: code.join("\n") });
    }
  }
  return blocks;
}
