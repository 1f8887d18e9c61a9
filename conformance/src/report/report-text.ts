import { styleText } from "node:util";
import { areaOf } from "../requirements/areas.ts";
import { printableLine } from "./printable.ts";
import {
  replayOptions,
  type ConformanceReport,
  type RuleCounts,
  type RuleResult,
} from "./report.ts";
import { verdictOf, verdictText } from "./verdict.ts";
import { wrapped } from "./wrapped.ts";

/** How a report is written for people. */
export interface ReportTextOptions {
  /** Columns that a line may have; at least 40 are used. Default: 100. */
  readonly width?: number;
  /** With colours for a terminal. Default: false. */
  readonly colors?: boolean;
  /** What checks a rule again: a command, say. Default: the options of `runConformance`. */
  readonly replay?: (result: RuleResult) => string;
  /** Says also of each rule that passed what was done. Default: false. */
  readonly verbose?: boolean;
}

type Style = "bold" | "green" | "red" | "yellow" | "dim";

/** Writes text in a style, or leaves it as it is. */
type Paint = (style: Style, text: string) => string;

/**
 * The report for people: a line per area, then every rule that fails, what is known to fail, and why
 * rules do not apply. What a tool wrote cannot control a terminal.
 *
 * @returns lines, each with its end.
 */
export function reportText(report: ConformanceReport, options: ReportTextOptions = {}): string {
  const width = Math.max(40, options.width ?? 100);
  const paint: Paint = (style, text) =>
    options.colors === true ? styleText(style, text, { validateStream: false }) : text;
  const replay =
    options.replay ?? (({ replay }) => (replay === undefined ? "" : replayOptions(replay)));
  const of = (status: RuleResult["status"]): RuleResult[] =>
    report.rules.filter((rule) => rule.status === status);
  const sections = [
    heading(report, paint, width),
    table(report, paint, width),
    ...of("failed").map((rule) => failure(rule, "failed", replay(rule), paint, width)),
    ...of("known-failing").map((rule) =>
      failure(rule, "known to fail", replay(rule), paint, width),
    ),
    ...(options.verbose === true ? [passedRules(of("passed"), paint, width)] : []),
    reasons(of("not-applicable"), paint, width),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${line}\n`).join(""))
    .join("\n");
}

function heading(report: ConformanceReport, paint: Paint, width: number): string[] {
  const { subject, kit, seed, rules, durationMs } = report;
  const style = verdictOf(report) === "conformant" ? "green" : report.ok ? "yellow" : "red";
  const checked = rules.filter(({ status }) => status !== "not-applicable").length;
  const run = [
    `${checked} of ${rules.length} rules apply`,
    `${(durationMs / 1000).toFixed(2)} s`,
    `seed ${seed}`,
    `${kit.name} ${kit.version}`,
  ].join(" · ");
  return [
    ...wrapped(`${printableLine(subject)}: ${verdictText(report)}`, width).map((line) =>
      paint(style, line),
    ),
    ...wrapped(run, width).map((line) => paint("dim", line)),
  ];
}

const columns: readonly { readonly head: string; readonly of: (counts: RuleCounts) => number }[] = [
  { head: "passed", of: ({ passed }) => passed },
  { head: "failed", of: ({ failed }) => failed },
  { head: "n/a", of: ({ notApplicable }) => notApplicable },
  { head: "known", of: ({ knownFailing }) => knownFailing },
];

function table(report: ConformanceReport, paint: Paint, width: number): string[] {
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

function failure(
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
    ...wrapped(title, width, "  ").map((line) => paint(style, line)),
    ...parts.flatMap(([label, text]) =>
      wrapped(`  ${label.padEnd(7)} ${printableLine(text)}`, width, " ".repeat(10)),
    ),
  ];
}

function passedRules(rules: readonly RuleResult[], paint: Paint, width: number): string[] {
  if (rules.length === 0) return [];
  const lines = rules.flatMap(({ id, text, message, durationMs }) => [
    ...wrapped(`  ${id} ${text} (${durationMs} ms)`, width, "    "),
    ...wrapped(`    ${printableLine(message)}`, width, "    ").map((line) => paint("dim", line)),
  ]);
  return [paint("bold", "Passed"), ...lines];
}

/** One reason may keep many rules from applying: it is said once, with their ids. */
function reasons(rules: readonly RuleResult[], paint: Paint, width: number): string[] {
  if (rules.length === 0) return [];
  const byReason = new Map<string, string[]>();
  for (const { id, message } of rules) {
    const reason = printableLine(message);
    byReason.set(reason, [...(byReason.get(reason) ?? []), id]);
  }
  const lines = [...byReason].flatMap(([reason, ids]) => [
    ...wrapped(`  ${reason}`, width, "  "),
    ...wrapped(`    ${shortened(ids)}`, width, "    ").map((line) => paint("dim", line)),
  ]);
  return [paint("bold", "Not applicable"), ...lines];
}

/** `TW-LIFE-002…004, 007, TW-CALL-002`: rules that follow each other are written as one. */
function shortened(ids: readonly string[]): string {
  const written: string[] = [];
  let before = "";
  for (let at = 0; at < ids.length;) {
    const first = ids[at] ?? "";
    const { area } = areaOf(first);
    let end = at;
    while (
      areaOf(ids[end + 1] ?? "").area === area &&
      numberOf(ids[end + 1]) === numberOf(ids[end]) + 1
    )
      end += 1;
    // Two that follow each other are no range.
    if (end - at < 2) end = at;
    const start = area === before ? first.slice(first.lastIndexOf("-") + 1) : first;
    written.push(end === at ? start : `${start}…${(ids[end] ?? "").slice(-3)}`);
    before = area;
    at = end + 1;
  }
  return written.join(", ");
}

function numberOf(id = ""): number {
  return Number(id.slice(id.lastIndexOf("-") + 1));
}
