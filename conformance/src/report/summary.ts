import type { ConformanceReport, RuleCounts } from "./report.ts";
import { requirements } from "../requirements/requirements.ts";

/** A badge for the endpoint of shields.io, which rejects any other field. */
export interface ConformanceBadge {
  readonly schemaVersion: 1;
  /** The text on the left side. */
  readonly label: string;
  /** The text on the right side. */
  readonly message: string;
  /** The colour of the right side. */
  readonly color: string;
}

/** The summary of a report, small enough to publish with a package. Plain JSON. */
export interface ConformanceSummary {
  /** The version of the summary format. */
  readonly formatVersion: 1;
  readonly kit: ConformanceReport["kit"];
  readonly subject: string;
  readonly result: Verdict;
  readonly rules: { readonly must: RuleCounts; readonly should: RuleCounts };
  /** The seed of the generated inputs. */
  readonly seed: number;
  readonly badge: ConformanceBadge;
}

const colors: Readonly<Record<Verdict, string>> = {
  conformant: "brightgreen",
  "not conformant": "red",
  partial: "lightgrey",
};

/** Creates the summary of a report, with a badge that shows how many rules apply. */
export function toSummary(report: ConformanceReport): ConformanceSummary {
  const { kit, subject, seed, levels, knownFailing } = report;
  const result = getVerdict(report);
  // The badge also shows should-rules that are known to fail.
  const isKnown = result === "conformant" && knownFailing > 0;
  return {
    formatVersion: 1,
    kit,
    subject,
    result,
    rules: levels,
    seed,
    badge: {
      schemaVersion: 1,
      label: "toolweave",
      message: formatBadgeMessage(result, report),
      color: isKnown ? "yellow" : colors[result],
    },
  };
}

function formatBadgeMessage(
  result: Verdict,
  { failed, knownFailing, notApplicable, rules }: ConformanceReport,
): string {
  const parts = [
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(knownFailing === 0 ? [] : [`${knownFailing} known to fail`]),
    // A manifest without sample calls proves less, and the badge shows it.
    `${rules.length - notApplicable} of ${rules.length} rules`,
  ];
  return `${result} (${parts.join(", ")})`;
}

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
