import type { Finding } from "./finding.ts";
import type { Requirement } from "./requirement.ts";

/** What came of one rule. */
export interface RuleResult {
  readonly id: string;
  readonly level: "must" | "should";
  /** The rule. */
  readonly text: string;
  /** `known-failing`: it fails, and the manifest says so. */
  readonly status: "passed" | "failed" | "not-applicable" | "known-failing";
  /** What was looked at, what is wrong, or why the rule does not apply. */
  readonly message: string;
  /** When it failed: what was done. */
  readonly done?: string;
  /** When it failed: what was seen. */
  readonly seen?: string;
}

/** What came of all rules. Plain JSON. */
export interface ConformanceReport {
  /** The manifest's name. */
  readonly subject: string;
  /** Gives the same inputs again. */
  readonly seed: number;
  /** No rule failed that is not known to. */
  readonly ok: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly notApplicable: number;
  readonly knownFailing: number;
  readonly rules: readonly RuleResult[];
}

/** @param known why the rule is known to fail; absent: it is not. */
export function resultOf(
  { id, level, text }: Requirement,
  finding: Finding,
  known?: string,
): RuleResult {
  if (known === undefined) return { id, level, text, ...finding };
  if (finding.status === "failed") {
    return { id, level, text, ...finding, status: "known-failing" };
  }
  return {
    id,
    level,
    text,
    status: "failed",
    message: `${id} is listed in knownFailing (${known}) and does not fail: take it out of the list.`,
    done: "Checked a rule that must fail.",
    seen: `${finding.status}: ${finding.message}`,
  };
}

/** Puts results together. */
export function reportOf(
  subject: string,
  seed: number,
  rules: readonly RuleResult[],
): ConformanceReport {
  const count = (status: RuleResult["status"]): number =>
    rules.filter((rule) => rule.status === status).length;
  return {
    subject,
    seed,
    ok: count("failed") === 0,
    passed: count("passed"),
    failed: count("failed"),
    notApplicable: count("not-applicable"),
    knownFailing: count("known-failing"),
    rules,
  };
}

/** A failed rule as a person reads it: the rule, what was done, what was seen, how to replay it. */
export function describeFailure(
  { id, level, text, message, done, seen }: RuleResult,
  seed: number,
): string {
  return [
    `${id} (${level}): ${text}`,
    `  wrong:  ${message}`,
    `  done:   ${done ?? ""}`,
    `  seen:   ${seen ?? ""}`,
    `  replay: { seed: ${seed} }`,
  ].join("\n");
}
