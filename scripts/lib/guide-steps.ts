/** One thing that a guide tells its reader to do. */
export type GuideStep =
  | { readonly kind: "write"; readonly line: number; readonly file: string; readonly text: string }
  | {
      readonly kind: "edit";
      readonly line: number;
      readonly file: string;
      readonly hunks: readonly { readonly before: string; readonly after: string }[];
    }
  | {
      readonly kind: "run";
      readonly line: number;
      readonly command: string;
      /** The guide says that the command fails. */
      readonly fails: boolean;
      /** What the guide shows of its output: these parts, in this order, whatever the white space. */
      readonly shows: readonly string[];
    };

interface Block {
  readonly line: number;
  readonly language: string;
  readonly lines: readonly string[];
}

/** Only to be read. */
const illustrations = new Set(["json", "yaml", "md"]);

/**
 * What a guide tells its reader to do, in order. A block of code begins with the file that it is
 * (`// adapter.ts`), a `diff` with the file that it changes, a `sh` block has commands, and a `text`
 * block what the last command shows, with `…` for what is left out.
 *
 * @throws Error with the line of a block that is none of these.
 */
export function guideSteps(page: string): GuideStep[] {
  const steps: GuideStep[] = [];
  for (const block of findBlocks(page)) {
    const { line, language, lines } = block;
    const file = /^ ?\/\/ ([\w.-]+)$/.exec(lines[0] ?? "")?.[1];
    const last = steps.at(-1);
    if (illustrations.has(language)) continue;
    if (language === "sh") {
      steps.push(...lines.map((text, at) => parseCommand(text, line + 1 + at)));
    } else if (language === "text" && last?.kind === "run" && last.shows.length === 0) {
      steps[steps.length - 1] = { ...last, shows: shownBy(lines) };
    } else if (language === "diff" && file !== undefined) {
      steps.push({ kind: "edit", line, file, hunks: splitHunks(lines.slice(1)) });
    } else if (/^(?:ts|js)$/.test(language) && file !== undefined) {
      steps.push({ kind: "write", line, file, text: `${lines.join("\n")}\n` });
    } else {
      throw new Error(`line ${line}: a ${language} block that is no file, edit, command or output`);
    }
  }
  return steps;
}

function* findBlocks(page: string): Generator<Block> {
  const lines = page.split("\n");
  for (let index = 0; index < lines.length; index++) {
    const language = /^```(\w*)$/.exec(lines[index] ?? "")?.[1];
    if (language === undefined) continue;
    const end = lines.indexOf("```", index + 1);
    if (end === -1) throw new Error(`line ${index + 1}: the block does not end`);
    yield { line: index + 1, language, lines: lines.slice(index + 1, end) };
    index = end;
  }
}

function parseCommand(text: string, line: number): GuideStep {
  const fails = text.endsWith("# fails");
  const command = text.replace(/\s*#.*$/, "");
  return { kind: "run", line, command, fails, shows: [] };
}

function shownBy(lines: readonly string[]): string[] {
  return lines
    .join("\n")
    .split("…")
    .map(plain)
    .filter((part) => part !== "");
}

/** Without what depends on the width of a terminal. */
export function plain(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function splitHunks(lines: readonly string[]): { before: string; after: string }[] {
  return lines
    .join("\n")
    .split(/^@@\n/m)
    .filter((hunk) => hunk !== "")
    .map((hunk) => {
      const of = (side: "-" | "+"): string =>
        hunk
          .trimEnd()
          .split("\n")
          .filter((line) => line.startsWith(side) || line.startsWith(" "))
          .map((line) => `${line.slice(1)}\n`)
          .join("");
      return { before: of("-"), after: of("+") };
    });
}
