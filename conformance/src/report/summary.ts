import type { ConformanceReport, RuleCounts } from "./report.ts";
import { verdictOf, type Verdict } from "./verdict.ts";

/** A badge as the endpoint of shields.io reads it; it refuses any other field. */
export interface ConformanceBadge {
  readonly schemaVersion: 1;
  /** The left text. */
  readonly label: string;
  /** The right text. */
  readonly message: string;
  /** The colour of the right side. */
  readonly color: string;
}

/** What a report comes to, small enough to publish beside a package. Plain JSON. */
export interface ConformanceSummary {
  /** Of the summary's form. */
  readonly formatVersion: 1;
  readonly kit: ConformanceReport["kit"];
  readonly subject: string;
  readonly result: Verdict;
  readonly rules: { readonly must: RuleCounts; readonly should: RuleCounts };
  /** Gives the same inputs again. */
  readonly seed: number;
  readonly badge: ConformanceBadge;
}

const colors: Readonly<Record<Verdict, string>> = {
  conformant: "brightgreen",
  "not conformant": "red",
  partial: "lightgrey",
};

/** What a report comes to, with a badge that says how many of the rules apply. */
export function summaryOf(report: ConformanceReport): ConformanceSummary {
  const { kit, subject, seed, levels, knownFailing } = report;
  const result = verdictOf(report);
  // What a should-rule costs is no secret either.
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
      message: badgeMessage(result, report),
      color: isKnown ? "yellow" : colors[result],
    },
  };
}

function badgeMessage(
  result: Verdict,
  { failed, knownFailing, notApplicable, rules }: ConformanceReport,
): string {
  const parts = [
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(knownFailing === 0 ? [] : [`${knownFailing} known to fail`]),
    // Whoever gave no sample calls has proven less, and a badge must not hide it.
    `${rules.length - notApplicable} of ${rules.length} rules`,
  ];
  return `${result} (${parts.join(", ")})`;
}
