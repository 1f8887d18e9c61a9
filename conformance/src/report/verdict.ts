import { requirements } from "../requirements/requirements.ts";
import type { ConformanceReport } from "./report.ts";

/**
 * What a report proves. `conformant`: every rule was looked at, some by calling tools, none fails, and
 * no must-rule is known to fail. `not conformant`: a rule fails, or a must-rule is known to. `partial`:
 * neither, since only some rules were looked at, or no tool was called.
 */
export type Verdict = "conformant" | "not conformant" | "partial";

/** What a report proves. */
export function verdictOf(report: ConformanceReport): Verdict {
  const { ok, levels, complete } = report;
  if (!ok || levels.must.knownFailing > 0) return "not conformant";
  return complete && wasCalled(report) ? "conformant" : "partial";
}

/** The same in some words, with how many rules fail or are known to. */
export function verdictText(report: ConformanceReport): string {
  const { failed, knownFailing, complete, rules } = report;
  const proven = verdictOf(report);
  const verdict = proven === "partial" ? "no fault found" : proven;
  const counts = [
    ...(failed === 0 ? [] : [`${failed} of ${rulesOf(rules.length)} failed`]),
    ...(knownFailing === 0 ? [] : [`${rulesOf(knownFailing)} known to fail`]),
    ...(complete ? [] : [`only ${rulesOf(rules.length)} looked at`]),
    ...(proven !== "partial" || wasCalled(report) ? [] : ["no tool was called"]),
  ];
  return counts.length === 0 ? verdict : `${verdict}: ${counts.join(", ")}`;
}

/** The rules that are checked by calling tools. */
const calling: ReadonlySet<string> = new Set(
  requirements
    .filter(({ needs }) => needs.some((need) => need.endsWith("Calls")))
    .map(({ id }) => id),
);

function wasCalled({ rules }: ConformanceReport): boolean {
  return rules.some(({ id, status }) => calling.has(id) && status !== "not-applicable");
}

function rulesOf(count: number): string {
  return `${count} rule${count === 1 ? "" : "s"}`;
}
