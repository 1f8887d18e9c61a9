import { areaOf, byArea, type Area } from "../requirements/areas.ts";
import type { Finding } from "../contract/finding.ts";
import type { Requirement } from "../requirements/requirement.ts";
import { kitName, kitVersion } from "./kit-version.ts";
import { printable } from "./printable.ts";

/** What came of one rule. */
export interface RuleResult {
  readonly id: string;
  /** What it is about: `SPEC` of `TW-SPEC-001`. */
  readonly area: string;
  readonly level: "must" | "should";
  /** The rule. */
  readonly text: string;
  /** The section of the design that it comes from. */
  readonly section: string;
  /** `known-failing`: it fails, and the manifest says so. */
  readonly status: "passed" | "failed" | "not-applicable" | "known-failing";
  /** What was looked at, what is wrong, or why the rule does not apply. */
  readonly message: string;
  /** When it failed: what was done. */
  readonly done?: string;
  /** When it failed: what was seen. */
  readonly seen?: string;
  /** When the manifest says that it fails: why. */
  readonly known?: string;
  /** Milliseconds that checking it took; 0: there was nothing to check. */
  readonly durationMs: number;
  /** When it failed: the options of a run that checks it again, with the same inputs. */
  readonly replay?: { readonly seed: number; readonly only: readonly string[] };
}

/** How many rules came to what. */
export interface RuleCounts {
  readonly passed: number;
  readonly failed: number;
  readonly notApplicable: number;
  readonly knownFailing: number;
}

/** What came of the rules of one area. */
export interface AreaResult extends Area, RuleCounts {}

/** What came of all rules. Plain JSON, described by `@toolweave/conformance/report.schema.json`. */
export interface ConformanceReport extends RuleCounts {
  /** Of the report's form. Grows when a field goes or means something else. */
  readonly formatVersion: 1;
  /** What has checked the rules. */
  readonly kit: { readonly name: string; readonly version: string };
  /** The manifest's name. */
  readonly subject: string;
  /** Gives the same inputs again. */
  readonly seed: number;
  /** Every rule was looked at, not only some. */
  readonly complete: boolean;
  /** No rule failed that is not known to. */
  readonly ok: boolean;
  /** Milliseconds that the run took. */
  readonly durationMs: number;
  readonly levels: { readonly must: RuleCounts; readonly should: RuleCounts };
  /** By area, in the order they were checked. */
  readonly areas: readonly AreaResult[];
  /** In the order of `requirements`. */
  readonly rules: readonly RuleResult[];
}

/** What a rule's result is made of beside what was found. */
export interface ResultParts {
  readonly seed: number;
  readonly durationMs: number;
  /** Why the rule is known to fail; absent: it is not. */
  readonly known?: string | undefined;
}

/** Puts together what came of a rule. */
export function resultOf(
  { id, level, text, section }: Requirement,
  finding: Finding,
  { seed, durationMs, known }: ResultParts,
): RuleResult {
  const rule = { id, area: areaOf(id).area, level, text, section };
  const replay = { seed, only: [id] };
  if (known === undefined) {
    const again = finding.status === "failed" ? { replay } : {};
    return { ...rule, ...finding, durationMs, ...again };
  }
  if (finding.status === "failed") {
    return { ...rule, ...finding, status: "known-failing", known, durationMs, replay };
  }
  return {
    ...rule,
    status: "failed",
    message: `${id} is listed in knownFailing (${known}) and does not fail: take it out of the list.`,
    done: "Checked a rule that must fail.",
    seen: `${finding.status}: ${finding.message}`,
    known,
    durationMs,
    replay,
  };
}

/** What a report is made of. */
export interface ReportParts {
  readonly subject: string;
  readonly seed: number;
  readonly durationMs: number;
  readonly complete: boolean;
  readonly rules: readonly RuleResult[];
}

/** Puts results together. */
export function reportOf({
  subject,
  seed,
  durationMs,
  complete,
  rules,
}: ReportParts): ConformanceReport {
  const all = countsOf(rules);
  return {
    formatVersion: 1,
    kit: { name: kitName, version: kitVersion() },
    subject,
    seed,
    complete,
    ok: all.failed === 0,
    durationMs,
    ...all,
    levels: {
      must: countsOf(rules.filter(({ level }) => level === "must")),
      should: countsOf(rules.filter(({ level }) => level === "should")),
    },
    areas: byArea(rules).map(({ area, title, items }) => ({ area, title, ...countsOf(items) })),
    rules,
  };
}

/** A failed rule as a person reads it: the rule, what was done, what was seen, how to replay it. */
export function describeFailure({
  id,
  level,
  text,
  message,
  done = "",
  seen = "",
  replay,
}: RuleResult): string {
  const lines = [
    `${id} (${level}): ${text}`,
    `  wrong:  ${message}`,
    `  done:   ${done}`,
    `  seen:   ${seen}`,
  ];
  if (replay !== undefined) lines.push(`  replay: ${replayOptions(replay)}`);
  return printable(lines.join("\n"));
}

/** The options of a run as they are written in a program. */
export function replayOptions({ seed, only }: NonNullable<RuleResult["replay"]>): string {
  return `{ seed: ${seed}, only: ${JSON.stringify(only)} }`;
}

function countsOf(rules: readonly RuleResult[]): RuleCounts {
  const count = (status: RuleResult["status"]): number =>
    rules.filter((rule) => rule.status === status).length;
  return {
    passed: count("passed"),
    failed: count("failed"),
    notApplicable: count("not-applicable"),
    knownFailing: count("known-failing"),
  };
}
