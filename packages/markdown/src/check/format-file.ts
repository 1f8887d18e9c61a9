import { format, StarlarkError } from "@toolweave/starlark";
import type { Finding, Place } from "../text/finding.ts";
import { readFrontMatter } from "../text/front-matter.ts";
import { isError } from "../text/sort-findings.ts";

/** A text in the standard form. */
export interface FormattedFile {
  /** The text; the input if it has an error. */
  readonly text: string;
  /** The errors because of which the text stays as it is. */
  readonly findings: readonly Finding[];
}

/**
 * The text of a file with its scripts in the standard form: a file `.star` as a whole, and in a markdown file `script: |` of
 * the front matter, also in lists of tools and hooks. Every other byte stays the same. A text without a script, and one
 * with an error, is returned as it is.
 *
 * @param file the name in findings, whose extension decides how the text is read.
 */
export function formatFile(file: string, text: string): FormattedFile {
  if (!file.endsWith(".md")) return formatLines(text, [{ file, line: 1, column: 1 }], true);
  const { values, places, findings, isReadable } = readFrontMatter(file, text);
  const errors = findings.filter(isError);
  // A file that declares nothing, such as a README, has no faults.
  if (errors.some(({ code }) => code === "no_front_matter")) return { text, findings: [] };
  if (!isReadable || errors.length > 0) return { text, findings: errors };
  const paths = [
    ["script"],
    ...["tools", "hooks"].flatMap((key) => {
      const list = values[key];
      return Array.isArray(list) ? list.map((_, index) => [key, index, "script"]) : [];
    }),
  ];
  const blocks = paths.flatMap((path) => {
    const placed = places.text(path);
    return placed?.style === "literal" ? [placed.place] : [];
  });
  return formatLines(text, blocks, false);
}

/** Formats the programs that start at these places, each with its indentation. */
function formatLines(text: string, starts: readonly Place[], isWhole: boolean): FormattedFile {
  // Each line with its end.
  const lines = text.split(/(?<=\n)/);
  const findings: Finding[] = [];
  for (const place of starts.toSorted((left, right) => right.line - left.line)) {
    const first = place.line - 1;
    const indentation = " ".repeat(place.column - 1);
    const end = isWhole ? lines.length : endOfBlock(lines, first, indentation);
    const block = lines.slice(first, end);
    const lineEnd = block.some((line) => line.endsWith("\r\n")) ? "\r\n" : "\n";
    const mark = block[0]?.startsWith("\uFEFF") === true ? "\uFEFF" : "";
    const program = block
      .map((line) => line.replace(/^\uFEFF/, "").replace(/\r?\n$/, ""))
      .map((line) => (line.startsWith(indentation) ? line.slice(indentation.length) : line.trim()))
      .join("\n");
    try {
      const formatted = format(`${program}\n`, { file: place.file, dialect: "session" });
      const written = formatted
        .split("\n")
        .slice(0, -1)
        .map((line) => (line === "" ? lineEnd : indentation + line + lineEnd));
      // The last line of a file has no end if it had none.
      const last = written.length - 1;
      const isOpen = !isWhole && block.at(-1)?.endsWith("\n") === false;
      if (isOpen && last >= 0) written[last] = (written[last] as string).replace(/\r?\n$/, "");
      lines.splice(first, block.length, mark + (written[0] ?? ""), ...written.slice(1));
    } catch (error) {
      if (!(error instanceof StarlarkError)) throw error;
      findings.unshift(...toFindings(error, place));
    }
  }
  return findings.length > 0 ? { text, findings } : { text: lines.join(""), findings: [] };
}

/** The index behind the last line of a block that is not blank. */
function endOfBlock(lines: readonly string[], first: number, indentation: string): number {
  let end = first;
  for (let index = first; index < lines.length; index++) {
    const line = lines[index] as string;
    if (line.trim() === "") continue;
    if (!line.startsWith(indentation)) break;
    end = index + 1;
  }
  return end;
}

function toFindings(error: StarlarkError, start: Place): readonly Finding[] {
  return error.problems.map(({ position, message }) => ({
    file: start.file,
    line: start.line + position.line - 1,
    column: start.column + position.column - 1,
    code: "syntax",
    severity: "error",
    message,
  }));
}
