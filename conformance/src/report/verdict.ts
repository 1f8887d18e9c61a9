import type { ConformanceReport } from "./report.ts";

/**
 * What a report proves. `conformant`: every rule was looked at, none fails, and no must-rule is known
 * to fail. `not conformant`: a rule fails, or a must-rule is known to. `partial`: neither, since only
 * some rules were looked at.
 */
export type Verdict = "conformant" | "not conformant" | "partial";

/** What a report proves. */
export function verdictOf({ ok, levels, complete }: ConformanceReport): Verdict {
  if (!ok || levels.must.knownFailing > 0) return "not conformant";
  return complete ? "conformant" : "partial";
}

/** The same in some words, with how many rules fail or are known to. */
export function verdictText(report: ConformanceReport): string {
  const { failed, knownFailing, complete, rules } = report;
  const verdict =
    complete || verdictOf(report) !== "partial" ? verdictOf(report) : "no fault found";
  const counts = [
    ...(failed === 0 ? [] : [`${failed} of ${rulesOf(rules.length)} failed`]),
    ...(knownFailing === 0 ? [] : [`${rulesOf(knownFailing)} known to fail`]),
    ...(complete ? [] : [`only ${rulesOf(rules.length)} looked at`]),
  ];
  return counts.length === 0 ? verdict : `${verdict}: ${counts.join(", ")}`;
}

function rulesOf(count: number): string {
  return `${count} rule${count === 1 ? "" : "s"}`;
}
