/** A page as a reader sees it. */
export interface Displayed {
  readonly text: string;
  /** The lines of preformatted text. */
  readonly code: readonly string[];
}

/** The parts of a page that are missing in the output of a contender. */
export interface Losses {
  /** The part of the words, each as often as it occurs, that is in the output. */
  readonly recall: number;
  /** The words that are missing. */
  readonly missing: readonly string[];
  /** Those that are missing and not accounted for by the notice. */
  readonly words: readonly string[];
  /** The lines of code that are missing and not accounted for. */
  readonly code: readonly string[];
}

/** Letters of a word that is searched for in the output without its spaces. */
const minGlued = 6;

/**
 * Compares an output with what a reader sees.
 *
 * A word is in the output if it is there as written, or when the marks of Markdown around a part of it are removed. The
 * notice accounts for as many characters as it counts, and `[redacted]` for the rest of its line: web_fetch replaces
 * what looks like a private key or a password.
 */
export function compareText({ text, code }: Displayed, output: string, notice: string): Losses {
  const counts = [countWords(output), countWords(removeMarks(output))];
  const letters = removeMarks(output)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
  const missing: string[] = [];
  let all = 0;
  for (const [word, count] of countWords(text)) {
    all += count;
    const most = Math.max(...counts.map((words) => words.get(word) ?? 0));
    // Two words that a browser displays without a space are apart in the output.
    if (most < count && word.length >= minGlued && letters.includes(word)) continue;
    for (let index = most; index < count; index++) missing.push(word);
  }
  const characters = countLeftOut(notice);
  const lines = [output, removeMarks(output)].flatMap((one) => one.split("\n"));
  const found = new Set(
    lines
      .flatMap((line) => [line, ...splitCells(line)])
      .flatMap((line) => [line, line.replace(/^`+|`+$/g, "")])
      .map(toLine),
  );
  const redacted = lines
    .map((line) => toLine(line.split("[redacted]", 1)[0] ?? ""))
    .filter((start, index) => start.length > 3 && lines[index]?.includes("[redacted]"));
  const lost = code.map(toLine).filter((line) => line !== "" && !found.has(line));
  const isRedacted = (line: string): boolean => redacted.some((start) => line.startsWith(start));
  const hidden = countWords(lost.filter(isRedacted).join("\n"));
  const words = missing.filter((word) => !hidden.has(word));
  const lostCode = lost.filter((line) => !isRedacted(line));
  return {
    recall: all === 0 ? 1 : (all - missing.length) / all,
    missing,
    words: words.join("").length <= characters ? [] : words,
    code: lostCode.join("").length <= characters ? [] : lostCode,
  };
}

/** The characters that a notice counts, without those of scripts, which are no text. */
function countLeftOut(notice: string): number {
  const line = /^\[left out: (.*)\]$/m.exec(notice)?.[1] ?? "";
  return Array.from(line.matchAll(/\d+ ([a-z ]+) \((\d+) characters\)/g))
    .filter(([, kind]) => !kind?.startsWith("script"))
    .reduce((sum, [, , count]) => sum + Number(count), 0);
}

/** The lines of the cells of a table. */
function splitCells(line: string): readonly string[] {
  return line
    .replaceAll("\\|", "\u0000")
    .split(/<br>|(?:^|\s)\|(?:\s|$)/)
    .map((cell) => cell.replaceAll("\u0000", "|"));
}

/** The words of a text, and how often each occurs; 𝑎 of a formula is a. Marks and escapes of Markdown are between words. */
function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text
    .normalize("NFKC")
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}]+/gu)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

/** A text without images, the addresses of links, and the marks of emphasis, code and escapes. */
function removeMarks(text: string): string {
  return text
    .replace(/!\[[^\]]*\](?:\([^()\s]*\))?/g, "")
    .replace(/\]\([^()\s]*\)/g, "")
    .replace(/[*_`~\\[\]]/g, "");
}

/** A line without white space that does not matter; web_fetch writes `(user>` for what looks like the mark of a turn. */
function toLine(line: string): string {
  return line
    .replace(/\((user|system|assistant)>/g, "<$1>")
    .replace(/\s+/g, " ")
    .trim();
}
