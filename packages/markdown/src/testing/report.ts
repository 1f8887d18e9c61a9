import type { FileCoverage } from "./coverage.ts";
import type { TestFailure } from "./test-file.ts";
import type { TestResult, TestRun } from "./run-tests.ts";

/** The lines of one result: its name, and below it its failures with both values, and what was printed. */
export function formatResult(result: TestResult): string {
  const { file, name, failures, output } = result;
  const mark = failures.length === 0 ? "ok  " : "FAIL";
  const lines = [`${mark}  ${file} ${name}`];
  for (const failure of failures) lines.push(...formatFailure(failure));
  if (failures.length > 0 && output.length > 0) {
    lines.push("        output:");
    lines.push(...output.flatMap((text) => indent(text, 10)));
  }
  return `${lines.join("\n")}\n`;
}

function formatFailure({ file, line, column, message, got, want, traceback }: TestFailure) {
  return [
    ...indent(`${file}:${line}:${column}: ${message}`, 6),
    ...(got === undefined ? [] : indent(`got   ${got}`, 8)),
    ...(want === undefined ? [] : indent(`want  ${want}`, 8)),
    ...(traceback === undefined ? [] : indent(traceback, 8)),
  ];
}

function indent(text: string, width: number): readonly string[] {
  return text.split("\n").map((line) => " ".repeat(width) + line);
}

/** The last line: how many tests have passed and failed. */
export function formatSummary({ passed, failed }: TestRun): string {
  return failed === 0 ? `${passed} passed\n` : `${passed} passed, ${failed} failed\n`;
}

/** A table of the lines that tests have executed, with those that they have not. */
export function formatCoverage(coverage: readonly FileCoverage[]): string {
  if (coverage.length === 0) return "";
  const rows = coverage.map(({ file, lines, covered, uncovered }) => {
    const share = lines === 0 ? 100 : (100 * covered) / lines;
    const missing = uncovered.length === 0 ? "" : `uncovered: ${toRanges(uncovered)}`;
    return [file, `${share.toFixed(1)} %`, `${covered}/${lines}`, missing];
  });
  const width = (column: number): number =>
    Math.max(...rows.map((row) => (row[column] ?? "").length));
  const [first, second, third] = [width(0), width(1), width(2)];
  const table = rows.map(([file = "", share = "", count = "", missing = ""]) =>
    `${file.padEnd(first)}  ${share.padStart(second)}  ${count.padStart(third)}  ${missing}`.trimEnd(),
  );
  return `Coverage by line\n${table.map((line) => `  ${line}\n`).join("")}`;
}

/** `3, 5-7` */
function toRanges(lines: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const line of lines) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === line - 1) last[1] = line;
    else ranges.push([line, line]);
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(", ");
}

/** All results as one JSON object. */
export function toJsonReport({ results, passed, failed, coverage }: TestRun): string {
  return `${JSON.stringify({ version: 1, passed, failed, tests: results, coverage })}\n`;
}

/** All results as JUnit XML: a suite for each file. */
export function toJunitReport({ results, failed }: TestRun): string {
  const files = [...new Set(results.map(({ file }) => file))];
  const suites = files.map((file) => {
    const own = results.filter((result) => result.file === file);
    const broken = own.filter(({ failures }) => failures.length > 0).length;
    return [
      `  <testsuite name="${escapeXml(file)}" tests="${own.length}" failures="${broken}" errors="0" skipped="0">`,
      ...own.map(toTestCase),
      "  </testsuite>",
    ].join("\n");
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="toolweave test" tests="${results.length}" failures="${failed}" errors="0">`,
    ...suites,
    "</testsuites>",
    "",
  ].join("\n");
}

function toTestCase({ file, name, line, failures, output }: TestResult): string {
  const attributes = `name="${escapeXml(name)}" classname="${escapeXml(file)}" file="${escapeXml(file)}" line="${line}"`;
  const inner = [
    ...failures.map((failure) => {
      const text = formatFailure(failure).join("\n");
      return `      <failure message="${escapeXml(failure.message)}">${escapeXml(text)}</failure>`;
    }),
    ...(output.length === 0
      ? []
      : [`      <system-out>${escapeXml(output.join("\n"))}</system-out>`]),
  ];
  if (inner.length === 0) return `    <testcase ${attributes}/>`;
  return `    <testcase ${attributes}>\n${inner.join("\n")}\n    </testcase>`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** A text in XML 1.0. Characters that it cannot hold are replaced. */
function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/[&<>"]/g, (character) => entities[character] ?? character)
    .replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
