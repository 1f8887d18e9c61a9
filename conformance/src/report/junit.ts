import { groupByArea } from "../requirements/areas.ts";
import { describeFailure, type ConformanceReport, type RuleResult } from "./report.ts";

/**
 * Converts reports to one JUnit XML document for CI systems: a suite for each area, a case for each
 * rule. A rule that does not apply or is known to fail is skipped with the reason. Characters that
 * XML cannot contain become U+FFFD.
 */
export function toJunit(reports: ConformanceReport | readonly ConformanceReport[]): string {
  const all: readonly ConformanceReport[] = "rules" in reports ? [reports] : reports;
  const attributes = suiteAttributes(
    all.map(({ subject }) => subject).join(", "),
    all.flatMap(({ rules }) => rules),
    all.reduce((sum, { durationMs }) => sum + durationMs, 0),
  );
  const root = element("testsuites", attributes, all.flatMap(toSuites));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}

function toSuites({ subject, kit, seed, rules }: ConformanceReport): string[] {
  const properties = [
    { name: "subject", value: subject },
    { name: "kit", value: `${kit.name}@${kit.version}` },
    { name: "seed", value: String(seed) },
  ].map((property) => element("property", property));
  return groupByArea(rules).map(({ title, items }) =>
    element("testsuite", suiteAttributes(`${subject}: ${title}`, items, sumDurations(items)), [
      element("properties", {}, properties),
      ...items.map((rule) => toTestCase(rule, subject)),
    ]),
  );
}

function suiteAttributes(
  name: string,
  rules: readonly RuleResult[],
  ms: number,
): Record<string, string> {
  const isSkipped = ({ status }: RuleResult): boolean =>
    status === "not-applicable" || status === "known-failing";
  return {
    name,
    tests: String(rules.length),
    failures: String(rules.filter(({ status }) => status === "failed").length),
    errors: "0",
    skipped: String(rules.filter(isSkipped).length),
    time: toSeconds(ms),
  };
}

function toTestCase(rule: RuleResult, subject: string): string {
  const { id, area, text, durationMs } = rule;
  const attributes = {
    classname: `${subject}.${area}`,
    name: `${id} ${text}`,
    time: toSeconds(durationMs),
  };
  return element("testcase", attributes, toOutcome(rule));
}

function toOutcome(rule: RuleResult): string[] {
  const { status, message, level, known = "" } = rule;
  switch (status) {
    case "passed":
      return [];
    case "failed": {
      const attributes = { message, type: level };
      return [
        `<failure${formatAttributes(attributes)}>${escapeXml(describeFailure(rule))}</failure>`,
      ];
    }
    case "known-failing":
      return [element("skipped", { message: `known to fail: ${known} (${message})` })];
    case "not-applicable":
      return [element("skipped", { message: `not applicable: ${message}` })];
  }
}

function element(
  name: string,
  attributes: Readonly<Record<string, string>>,
  children: readonly string[] = [],
): string {
  const start = `<${name}${formatAttributes(attributes)}`;
  if (children.length === 0) return `${start}/>`;
  const inner = children.map((child) => child.replace(/^/gm, "  "));
  return `${start}>\n${inner.join("\n")}\n</${name}>`;
}

function formatAttributes(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
    .join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

// All characters except the `Char` of XML 1.0; with the `u` flag this includes lone surrogates.
const invalid = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function escapeXml(text: string): string {
  return (
    text
      .replace(invalid, "\ufffd")
      .replace(/[&<>"]/g, (character) => entities[character] ?? character)
      // A parser would normalize them to spaces in an attribute, and CR to LF everywhere.
      .replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
  );
}

function toSeconds(ms: number): string {
  return (ms / 1000).toFixed(4);
}

function sumDurations(rules: readonly RuleResult[]): number {
  return rules.reduce((total, { durationMs }) => total + durationMs, 0);
}
