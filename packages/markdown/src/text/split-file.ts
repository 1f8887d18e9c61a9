import type { Finding } from "./finding.ts";

/** The two parts of a markdown file, with the lines on which they start. Line breaks are `\n`. */
export interface FileParts {
  readonly yaml: string;
  readonly yamlLine: number;
  readonly body: string;
  readonly bodyLine: number;
}

/** The largest markdown file that is read, in bytes of UTF-8. */
const maxFileBytes = 256 * 1024;

const delimiter = /^---[ \t]*$/;

/**
 * Splits a markdown file at the two lines `---`. A byte order mark and blank lines before the first one are accepted. Each
 * delimiter is alone on its line; blanks may follow it.
 */
export function splitFile(file: string, text: string): FileParts | Finding {
  if (text.length > maxFileBytes || Buffer.byteLength(text) > maxFileBytes)
    return fault(
      file,
      1,
      "file_too_large",
      `the file is larger than ${maxFileBytes / 1024} KiB`,
      "Move data out of the file; a script can read it with fs.read.",
    );
  const lines = toLines(text);
  const zero = lines.findIndex((line) => line.includes("\0"));
  if (zero !== -1)
    return fault(
      file,
      zero + 1,
      "not_text",
      "the file has a NUL character: it is no text",
      "Save the file as UTF-8.",
    );
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first === -1 || !delimiter.test(lines[first] as string))
    return fault(
      file,
      Math.max(first, 0) + 1,
      "no_front_matter",
      "markdown file must start with --- frontmatter delimiter",
      "Write a line `---` first, then the fields, then another line `---`.",
    );
  if (lines.slice(first + 1).every((line) => line.trim() === ""))
    return fault(
      file,
      first + 1,
      "no_content",
      "no content after opening --- delimiter",
      "Write the fields and a closing line `---`.",
    );
  const close = lines.findIndex((line, index) => index > first && delimiter.test(line));
  if (close === -1) {
    const near = lines.findIndex((line, index) => index > first && line.startsWith("---"));
    return fault(
      file,
      near === -1 ? first + 1 : near + 1,
      "front_matter_not_closed",
      "no closing --- delimiter found for frontmatter",
      near === -1
        ? "Write a line `---` after the fields."
        : "The closing `---` must be alone on its line.",
    );
  }
  const toText = (part: readonly string[]): string => part.map((line) => `${line}\n`).join("");
  return {
    yaml: toText(lines.slice(first + 1, close)),
    yamlLine: first + 2,
    body: lines.slice(close + 1).join("\n"),
    bodyLine: close + 2,
  };
}

/** The lines of a text, without its byte order mark. */
export function toLines(text: string): readonly string[] {
  return text.replace(/^\uFEFF/, "").split(/\r\n|\n/);
}

function fault(file: string, line: number, code: string, message: string, hint: string): Finding {
  return { file, line, column: 1, code, severity: "error", message, hint };
}
