import { visibleText } from "@toolweave/core/adapter";
import type { Finding } from "../text/finding.ts";
import { toLines } from "../text/split-file.ts";
import { isError, sortFindings } from "../text/sort-findings.ts";

/** The forms of a report. */
export type ReportFormat = "text" | "json" | "sarif" | "github";

/** The input of a report. */
export interface ReportOptions {
  readonly format: ReportFormat;
  /** The texts of the files by name, for the lines of findings. Default: no lines. */
  readonly texts?: ReadonlyMap<string, string>;
  /** How many findings of a file the text has. Default: 20. */
  readonly maxPerFile?: number;
  /** The version of the program, for SARIF. */
  readonly version?: string;
}

/** Writes findings in a form. The same findings always give the same text, which ends with a line break if it is not empty. */
export function formatReport(findings: readonly Finding[], options: ReportOptions): string {
  const sorted = sortFindings(findings);
  switch (options.format) {
    case "text":
      return toText(sorted, options);
    case "json":
      return `${JSON.stringify({ findings: sorted, ...countFindings(sorted) }, null, 2)}\n`;
    case "sarif":
      return `${JSON.stringify(toSarif(sorted, options.version), null, 2)}\n`;
    case "github":
      return sorted.map(toAnnotation).join("");
  }
}

/** The numbers of errors and warnings. */
export function countFindings(findings: readonly Finding[]): {
  readonly errors: number;
  readonly warnings: number;
} {
  const errors = findings.filter(isError).length;
  return { errors, warnings: findings.length - errors };
}

function toText(findings: readonly Finding[], options: ReportOptions): string {
  const { maxPerFile = 20, texts } = options;
  const lines: string[] = [];
  for (const file of new Set(findings.map((finding) => finding.file))) {
    const group = findings.filter((finding) => finding.file === file);
    const text = texts?.get(file);
    const source = text === undefined ? undefined : toLines(text);
    for (const finding of group.slice(0, maxPerFile)) lines.push(...toBlock(finding, source));
    const rest = group.length - maxPerFile;
    if (rest > 0)
      lines.push(`${visible(file)}: ${rest} more ${rest === 1 ? "finding" : "findings"}`);
  }
  return lines.map((line) => `${line}\n`).join("");
}

function toBlock(finding: Finding, source: readonly string[] | undefined): readonly string[] {
  const { code, column, file, hint, line, message, severity } = finding;
  const block = [visible(`${file}:${line}:${column}: ${severity} ${code}: ${message}`)];
  const text = source?.[line - 1];
  if (text !== undefined && text.trim() !== "") {
    const number = String(line).padStart(5);
    const all = [...text];
    // A long line is displayed around the place.
    const start = all.length <= 100 ? 0 : Math.max(0, column - 60);
    const characters = all.slice(start, start + 100);
    const caret = " ".repeat(
      characters
        .slice(0, column - 1 - start)
        .map(toCells)
        .join("").length,
    );
    block.push(`${number} | ${visible(characters.map(toCells).join(""))}`, `      | ${caret}^`);
  }
  if (hint !== undefined) block.push(`      hint: ${visible(hint)}`);
  return block;
}

/** A tab takes two cells, so that the mark is below its character. */
function toCells(character: string): string {
  return character === "\t" ? "  " : character;
}

/** A text on one line, without characters that control a terminal. */
function visible(text: string): string {
  return visibleText(text.replace(/[\r\n\u2028\u2029]+/g, " "));
}

function toSarif(findings: readonly Finding[], version: string | undefined): object {
  const codes = [...new Set(findings.map(({ code }) => code))].toSorted();
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "toolweave validate",
            ...(version !== undefined && { version }),
            rules: codes.map((id) => ({ id })),
          },
        },
        columnKind: "unicodeCodePoints",
        results: findings.map(({ code, column, file, hint, line, message, severity }) => ({
          ruleId: code,
          ruleIndex: codes.indexOf(code),
          level: severity,
          message: { text: hint === undefined ? message : `${message}. ${hint}` },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: file.split("/").map(encodeURIComponent).join("/") },
                region: { startLine: line, startColumn: column },
              },
            },
          ],
        })),
      },
    ],
  };
}

function toAnnotation({ code, column, file, hint, line, message, severity }: Finding): string {
  const text = hint === undefined ? message : `${message}\n${hint}`;
  const data = (value: string): string =>
    visibleText(value).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  const property = (value: string): string =>
    data(value).replaceAll(":", "%3A").replaceAll(",", "%2C");
  const place = `file=${property(file)},line=${line},col=${column}`;
  return `::${severity} ${place},title=${property(code)}::${data(text)}\n`;
}
