/** A fenced code block that is an example. */
export interface DocBlock {
  /** Relative to the root. */
  readonly file: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  readonly language: "js" | "ts";
  readonly code: string;
  /** Not marked `no-run`: an example that needs a network or a terminal is only compiled. */
  readonly runs: boolean;
}

const languages = new Map<string, "js" | "ts">([
  ["js", "js"],
  ["javascript", "js"],
  ["mjs", "js"],
  ["ts", "ts"],
  ["typescript", "ts"],
  ["mts", "ts"],
]);

/** A fenced block of any language. */
export interface FencedBlock {
  /** Relative to the root. */
  readonly file: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  /** The first word behind the fence, in lower case. */
  readonly language: string;
  /** The text behind that word. */
  readonly marks: string;
  readonly code: string;
}

/** The fenced blocks of a Markdown page, in order. */
export function fencedBlocks(page: string, file: string): FencedBlock[] {
  const blocks: FencedBlock[] = [];
  const lines = page.split("\n");
  for (let index = 0; index < lines.length; index++) {
    const open = /^(\s*)(`{3,}|~{3,})\s*([\w-]*)(.*)$/.exec(lines[index]!);
    if (open === null) continue;
    const [, indent = "", fence = "", language = "", marks = ""] = open;
    const start = index;
    const close = new RegExp(`^\\s*${fence[0]}{${fence.length},}\\s*$`);
    const code: string[] = [];
    while (++index < lines.length && !close.test(lines[index]!)) {
      const line = lines[index]!;
      code.push(line.startsWith(indent) ? line.slice(indent.length) : line.trimStart());
    }
    blocks.push({
      file,
      line: start + 1,
      language: language.toLowerCase(),
      marks: marks.trim(),
      code: code.join("\n"),
    });
  }
  return blocks;
}

/** The JavaScript and TypeScript blocks of a Markdown page, in order. */
export function docBlocks(page: string, file: string): DocBlock[] {
  return fencedBlocks(page, file).flatMap(({ line, language, marks, code }): DocBlock[] => {
    const kind = languages.get(language);
    const runs = !marks.split(" ").includes("no-run");
    return kind === undefined ? [] : [{ file, line, language: kind, code, runs }];
  });
}

/** The blocks of a page as one program: each stays on its lines, so that errors have the lines of the page. */
export function joinBlocks(blocks: readonly DocBlock[]): DocBlock[] {
  const [first, ...rest] = blocks;
  if (first === undefined) return [];
  let { code } = first;
  for (const block of rest) {
    const lines = first.line + code.split("\n").length;
    code += "\n".repeat(block.line - lines + 1) + block.code;
  }
  return [{ ...first, code }];
}
