import { requirements } from "../requirements/requirements.ts";
import type { ConformanceReport } from "./report.ts";

/**
 * The verdict of a report. `conformant`: all rules were selected, some were checked by calling
 * tools, none fails, and no must-rule is known to fail. `not conformant`: a rule fails, or a
 * must-rule is known to fail. `partial`: neither, because only some rules were selected or no tool
 * was called.
 */
export type Verdict = "conformant" | "not conformant" | "partial";

/** The verdict of a report. */
export function getVerdict(report: ConformanceReport): Verdict {
  const { ok, levels, complete } = report;
  if (!ok || levels.must.knownFailing > 0) return "not conformant";
  return complete && hasCalledTools(report) ? "conformant" : "partial";
}

/** Formats the verdict with the number of rules that fail or are known to fail. */
export function formatVerdict(report: ConformanceReport): string {
  const { failed, knownFailing, complete, rules } = report;
  const proven = getVerdict(report);
  const verdict = proven === "partial" ? "no failure found" : proven;
  const counts = [
    ...(failed === 0 ? [] : [`${failed} of ${formatCount(rules.length)} failed`]),
    ...(knownFailing === 0 ? [] : [`${formatCount(knownFailing)} known to fail`]),
    ...(complete ? [] : [`only ${formatCount(rules.length)} checked`]),
    ...(proven !== "partial" || hasCalledTools(report) ? [] : ["no tool was called"]),
  ];
  return counts.length === 0 ? verdict : `${verdict}: ${counts.join(", ")}`;
}

/** The rules that are checked by calling tools. */
const callingRules: ReadonlySet<string> = new Set(
  requirements
    .filter(({ needs }) => needs.some((need) => need.endsWith("Calls")))
    .map(({ id }) => id),
);

function hasCalledTools({ rules }: ConformanceReport): boolean {
  return rules.some(({ id, status }) => callingRules.has(id) && status !== "not-applicable");
}

function formatCount(count: number): string {
  return `${count} rule${count === 1 ? "" : "s"}`;
}
