import { createRequire } from "node:module";
import { getArea, groupByArea, type Area } from "../requirements/areas.ts";
import type { Finding } from "../contract/finding.ts";
import type { Requirement } from "../requirements/requirement.ts";

/** The name of this package. */
const kitName = "@toolweave/conformance";

/** The version of this package. */
function kitVersion(): string {
  // By package name: the location of this file differs between the sources and a build.
  const manifest = createRequire(import.meta.url)(`${kitName}/package.json`) as { version: string };
  return manifest.version;
}

/** The result of one rule. */
export interface RuleResult {
  readonly id: string;
  /** The area of the rule: `SPEC` of `TW-SPEC-001`. */
  readonly area: string;
  readonly level: "must" | "should";
  /** The rule. */
  readonly text: string;
  /** The section of the design that the rule comes from. */
  readonly section: string;
  /** `known-failing`: the rule fails, and the manifest lists it. */
  readonly status: "passed" | "failed" | "not-applicable" | "known-failing";
  /** The checked subject, the problem, or the reason why the rule does not apply. */
  readonly message: string;
  /** The action that was taken, if the rule failed. */
  readonly done?: string;
  /** The observation, if the rule failed. */
  readonly seen?: string;
  /** The reason from the manifest, if the rule is known to fail. */
  readonly known?: string;
  /** Duration of the check in milliseconds; 0 if there was nothing to check. */
  readonly durationMs: number;
  /** The options of a run that repeats the check with the same inputs, if the rule failed. */
  readonly replay?: { readonly seed: number; readonly only: readonly string[] };
}

/** The number of rules by status. */
export interface RuleCounts {
  readonly passed: number;
  readonly failed: number;
  readonly notApplicable: number;
  readonly knownFailing: number;
}

/** The results of one area. */
export interface AreaResult extends Area, RuleCounts {}

/**
 * The results of all rules. Plain JSON, described by `@toolweave/conformance/report.schema.json`.
 */
export interface ConformanceReport extends RuleCounts {
  /**
   * The version of the report format. It increases when a field is removed or changes its meaning.
   */
  readonly formatVersion: 1;
  /** The kit that checked the rules. */
  readonly kit: { readonly name: string; readonly version: string };
  /** The name of the manifest. */
  readonly subject: string;
  /** The seed of the generated inputs. The same seed produces the same inputs. */
  readonly seed: number;
  /** True if all rules were selected. */
  readonly complete: boolean;
  /** True if no rule failed, apart from rules that are known to fail. */
  readonly ok: boolean;
  /** Duration of the run in milliseconds. */
  readonly durationMs: number;
  readonly levels: { readonly must: RuleCounts; readonly should: RuleCounts };
  /** The results by area, in the order in which the areas were checked. */
  readonly areas: readonly AreaResult[];
  /** The results by rule, in the order of `requirements`. */
  readonly rules: readonly RuleResult[];
}

/** The parts of a rule's result other than the finding. */
export interface ResultParts {
  readonly seed: number;
  readonly durationMs: number;
  /** The reason why the rule is known to fail, if it is. */
  readonly known?: string | undefined;
}

/** Creates the result of a rule. */
export function createResult(
  { id, level, text, section }: Requirement,
  finding: Finding,
  { seed, durationMs, known }: ResultParts,
): RuleResult {
  const rule = { id, area: getArea(id).area, level, text, section };
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
    message: `${id} is listed in knownFailing (${known}) but does not fail: remove it from the list.`,
    done: "Checked a rule that is expected to fail.",
    seen: `${finding.status}: ${finding.message}`,
    known,
    durationMs,
    replay,
  };
}

/** The parts of a report. */
export interface ReportParts {
  readonly subject: string;
  readonly seed: number;
  readonly durationMs: number;
  readonly complete: boolean;
  readonly rules: readonly RuleResult[];
}

/** Creates a report from the results of rules. */
export function createReport({
  subject,
  seed,
  durationMs,
  complete,
  rules,
}: ReportParts): ConformanceReport {
  const all = countByStatus(rules);
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
      must: countByStatus(rules.filter(({ level }) => level === "must")),
      should: countByStatus(rules.filter(({ level }) => level === "should")),
    },
    areas: groupByArea(rules).map(({ area, title, items }) => ({
      area,
      title,
      ...countByStatus(items),
    })),
    rules,
  };
}

/**
 * Formats a failed rule: the rule, what was done, what was observed, and how to repeat the check.
 */
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
  if (replay !== undefined) lines.push(`  replay: ${formatReplayOptions(replay)}`);
  return escapeText(lines.join("\n"));
}

/** Formats the options of a run as source code. */
export function formatReplayOptions({ seed, only }: NonNullable<RuleResult["replay"]>): string {
  return `{ seed: ${seed}, only: ${JSON.stringify(only)} }`;
}

function countByStatus(rules: readonly RuleResult[]): RuleCounts {
  const count = (status: RuleResult["status"]): number =>
    rules.filter((rule) => rule.status === status).length;
  return {
    passed: count("passed"),
    failed: count("failed"),
    notApplicable: count("not-applicable"),
    knownFailing: count("known-failing"),
  };
}

// Characters that move the cursor, change colours, reorder or hide text on a terminal or in a log.
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

// Joiners and variation selectors, which scripts and emoji need.
const allowed = /\u200c|\u200d|[\ufe00-\ufe0f]/;

/**
 * Escapes text that a tested tool may have written. Line breaks and tabs stay, other control and
 * format characters become visible.
 */
function escapeText(text: string): string {
  return text.replace(unprintable, (character) => {
    if (character === "\n" || character === "\t" || allowed.test(character)) return character;
    return `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
  });
}

/** Escapes text like `printable` on one line: runs of white space become one space. */
export function escapeLine(text: string): string {
  return escapeText(text.replace(/\s+/g, " ").trim());
}
