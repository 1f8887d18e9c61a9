// Not by name: an import that Node.js 20 does not have would hide the message about its version.
import * as util from "node:util";
import { getArea } from "../requirements/areas.ts";
import {
  escapeLine,
  formatReplayOptions,
  type ConformanceReport,
  type RuleCounts,
  type RuleResult,
} from "./report.ts";
import { getVerdict, formatVerdict } from "./summary.ts";

/** Options of the formatted report. */
export interface FormatReportOptions {
  /** The maximum number of columns of a line, at least 40. Default: 100. */
  readonly width?: number;
  /** True to use colours for a terminal. Default: false. */
  readonly colors?: boolean;
  /**
   * Returns how to check a rule again, such as a command. Default: the options of `runConformance`.
   */
  readonly replay?: (result: RuleResult) => string;
  /** True to list what was done for each rule that passed. Default: false. */
  readonly verbose?: boolean;
}

type Style = "bold" | "green" | "red" | "yellow" | "dim";

/** Applies a style to a text, or returns it unchanged. */
type Paint = (style: Style, text: string) => string;

/**
 * Formats a report for people: a line for each area, then every rule that fails, the rules that are
 * known to fail, and why rules do not apply. Text that a tool wrote is escaped for a terminal.
 *
 * @returns lines, each with a line break.
 */
export function formatReport(report: ConformanceReport, options: FormatReportOptions = {}): string {
  const width = Math.max(40, options.width ?? 100);
  const paint: Paint = (style, text) =>
    options.colors === true ? util.styleText(style, text, { validateStream: false }) : text;
  const replay =
    options.replay ?? (({ replay }) => (replay === undefined ? "" : formatReplayOptions(replay)));
  const of = (status: RuleResult["status"]): RuleResult[] =>
    report.rules.filter((rule) => rule.status === status);
  const sections = [
    formatHeading(report, paint, width),
    formatTable(report, paint, width),
    ...of("failed").map((rule) => formatRule(rule, "failed", replay(rule), paint, width)),
    ...of("known-failing").map((rule) =>
      formatRule(rule, "known to fail", replay(rule), paint, width),
    ),
    ...(options.verbose === true ? [formatPassedRules(of("passed"), paint, width)] : []),
    formatReasons(of("not-applicable"), paint, width),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${line}\n`).join(""))
    .join("\n");
}

function formatHeading(report: ConformanceReport, paint: Paint, width: number): string[] {
  const { subject, kit, seed, rules, durationMs } = report;
  const style = getVerdict(report) === "conformant" ? "green" : report.ok ? "yellow" : "red";
  const checked = rules.filter(({ status }) => status !== "not-applicable").length;
  const run = [
    `${checked} of ${rules.length} rules apply`,
    `${(durationMs / 1000).toFixed(2)} s`,
    `seed ${seed}`,
    `${kit.name} ${kit.version}`,
  ].join(" · ");
  return [
    ...wrapText(`${escapeLine(subject)}: ${formatVerdict(report)}`, width).map((line) =>
      paint(style, line),
    ),
    ...wrapText(run, width).map((line) => paint("dim", line)),
  ];
}

const columns: readonly { readonly head: string; readonly of: (counts: RuleCounts) => number }[] = [
  { head: "passed", of: ({ passed }) => passed },
  { head: "failed", of: ({ failed }) => failed },
  { head: "n/a", of: ({ notApplicable }) => notApplicable },
  { head: "known", of: ({ knownFailing }) => knownFailing },
];

function formatTable(report: ConformanceReport, paint: Paint, width: number): string[] {
  const widest = Math.max(...report.areas.map(({ area }) => area.length));
  const rows = [
    ...report.areas.map((area) => ({
      title: `${area.area.padEnd(widest)}  ${area.title}`,
      counts: area,
    })),
    { title: "all", counts: report },
  ];
  const numbers = columns.reduce((sum, { head }) => sum + 2 + head.length, 0);
  const room = Math.min(width - numbers, Math.max(...rows.map(({ title }) => title.length)));
  const head = columns.map(({ head }) => `  ${head}`).join("");
  const lines = rows.map(({ title, counts }) => {
    const name = title.length > room ? `${title.slice(0, room - 1)}…` : title.padEnd(room);
    const cells = columns.map((column) => {
      const count = column.of(counts);
      const cell = (count === 0 ? "·" : String(count)).padStart(2 + column.head.length);
      if (column.head === "failed" && count > 0) return paint("red", cell);
      if (column.head === "known" && count > 0) return paint("yellow", cell);
      return count === 0 ? paint("dim", cell) : cell;
    });
    return name + cells.join("");
  });
  return [paint("dim", " ".repeat(room) + head), ...lines];
}

function formatRule(
  { id, level, text, section, message, done = "", seen = "", known }: RuleResult,
  verdict: string,
  replay: string,
  paint: Paint,
  width: number,
): string[] {
  const style = verdict === "failed" ? "red" : "yellow";
  const title = `${id} ${verdict} (${level}, section ${section}): ${text}`;
  const parts: readonly (readonly [string, string])[] = [
    ["wrong", message],
    ["done", done],
    ["seen", seen],
    ...(known === undefined ? [] : [["known", known] as const]),
    ["replay", replay],
  ];
  return [
    ...wrapText(title, width, "  ").map((line) => paint(style, line)),
    ...parts.flatMap(([label, text]) =>
      wrapText(`  ${label.padEnd(7)} ${escapeLine(text)}`, width, " ".repeat(10)),
    ),
  ];
}

function formatPassedRules(rules: readonly RuleResult[], paint: Paint, width: number): string[] {
  if (rules.length === 0) return [];
  const lines = rules.flatMap(({ id, text, message, durationMs }) => [
    ...wrapText(`  ${id} ${text} (${durationMs} ms)`, width, "    "),
    ...wrapText(`    ${escapeLine(message)}`, width, "    ").map((line) => paint("dim", line)),
  ]);
  return [paint("bold", "Passed"), ...lines];
}

/** Lists each reason once, with the ids of the rules that do not apply because of it. */
function formatReasons(rules: readonly RuleResult[], paint: Paint, width: number): string[] {
  if (rules.length === 0) return [];
  const byReason = new Map<string, string[]>();
  for (const { id, message } of rules) {
    const reason = escapeLine(message);
    byReason.set(reason, [...(byReason.get(reason) ?? []), id]);
  }
  const lines = [...byReason].flatMap(([reason, ids]) => [
    ...wrapText(`  ${reason}`, width, "  "),
    ...wrapText(`    ${formatRanges(ids)}`, width, "    ").map((line) => paint("dim", line)),
  ]);
  return [paint("bold", "Not applicable"), ...lines];
}

/** `TW-LIFE-002…004, 007, TW-CALL-002`: consecutive rules become a range. */
function formatRanges(ids: readonly string[]): string {
  const written: string[] = [];
  let before = "";
  for (let at = 0; at < ids.length;) {
    const first = ids[at] ?? "";
    const { area } = getArea(first);
    let end = at;
    while (
      getArea(ids[end + 1] ?? "").area === area &&
      getNumber(ids[end + 1]) === getNumber(ids[end]) + 1
    )
      end += 1;
    // Two consecutive rules are no range.
    if (end - at < 2) end = at;
    const start = area === before ? first.slice(first.lastIndexOf("-") + 1) : first;
    written.push(end === at ? start : `${start}…${(ids[end] ?? "").slice(-3)}`);
    before = area;
    at = end + 1;
  }
  return written.join(", ");
}

function getNumber(id = ""): number {
  return Number(id.slice(id.lastIndexOf("-") + 1));
}

/**
 * Breaks text into lines of at most `width` characters between words. A word that is longer than a
 * line is broken inside.
 *
 * @param indent the beginning of every line except the first.
 */
function wrapText(text: string, width: number, indent = ""): string[] {
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
