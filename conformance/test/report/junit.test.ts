import { readFileSync } from "node:fs";
import fc from "fast-check";
import { defineTool } from "@toolweave/core";
import { expect, test } from "vitest";
import { validateXML } from "xmllint-wasm";
import {
  toJunit,
  runConformance,
  type ConformanceReport,
  type RuleResult,
} from "../../src/index.ts";
import { sourceManifest } from "../fixtures/index.ts";

const schema = readFileSync(new URL("../support/junit.xsd", import.meta.url), "utf8");

async function findFaults(xml: string): Promise<string[]> {
  const { errors } = await validateXML({
    xml: [{ fileName: "report.xml", contents: xml }],
    schema,
  });
  return errors.map(({ message }) => message);
}

async function brokenReport(name = "ping"): Promise<ConformanceReport> {
  const ping = defineTool({
    name: "ping",
    description: "",
    input: { type: "object" },
    execute: () => "pong",
  });
  return runConformance(
    {
      name,
      create: () => [ping],
      without: "it only answers",
      knownFailing: { "TW-NAME-001": "issue 12" },
    },
    { seed: 1, only: ["SPEC", "NAME", "LIFE"] },
  );
}

/** A report whose texts are replaced. */
function withTexts(report: ConformanceReport, texts: readonly string[]): ConformanceReport {
  const rules = texts.map((text, index): RuleResult => {
    const rule = report.rules[index % report.rules.length] as RuleResult;
    const { status } = rule;
    const failed = status === "failed" || status === "known-failing";
    return {
      ...rule,
      message: text,
      ...(failed ? { done: text, seen: text, known: text } : {}),
    };
  });
  return { ...report, subject: texts[0] ?? "", rules };
}

test("the JUnit report of a complete run is valid against the JUnit schema", async () => {
  const xml = toJunit(await runConformance(sourceManifest(), { seed: 1 }));
  expect(await findFaults(xml)).toEqual([]);
});

test("failures, rules that do not apply and counts are in the right elements", async () => {
  const report = await brokenReport();
  const xml = toJunit(report);
  expect(await findFaults(xml)).toEqual([]);
  const { failed, notApplicable, knownFailing, rules } = report;
  expect(failed).toBeGreaterThan(0);
  expect(xml).toContain(
    `<testsuites name="ping" tests="${rules.length}" failures="${failed}" errors="0" skipped="${notApplicable + knownFailing}"`,
  );
  expect(xml.match(/<failure /g)).toHaveLength(failed);
  expect(xml).toContain('<failure message="&quot;ping&quot; has no description." type="must">');
  expect(xml).toContain("replay: { seed: 1, only: [&quot;TW-SPEC-003&quot;] }");
  expect(xml).toContain(
    '<skipped message="not applicable: create() returns a list of tools, not a source."/>',
  );
  expect(xml).toContain('<property name="seed" value="1"/>');
});

test("the JUnit schema rejects another structure", async () => {
  const xml = toJunit(await brokenReport());
  expect(await findFaults(xml.replaceAll("testcase", "case"))).not.toEqual([]);
  expect(await findFaults(xml.replace('tests="', 'tests="x'))).not.toEqual([]);
  expect(await findFaults(xml.replace("</testsuites>", ""))).not.toEqual([]);
});

test("texts of tools are escaped", async () => {
  const report = await brokenReport();
  const nasty = [
    "]]>",
    "<![CDATA[",
    "--><script>",
    "&amp;&#0;",
    "\u0000\u0008\u000b\u001b[31m",
    "\ud800",
    "\udfff\ud800",
    "\ufffe\uffff",
    "\"' \t\r\n",
    "\u{1f600}\u{10ffff}",
    "<?xml?>",
    "\u0085\u2028",
  ];
  const text = fc.oneof(
    fc.constantFrom(...nasty),
    fc.string({ unit: "binary" }),
    fc.array(fc.constantFrom(...nasty, "a"), { maxLength: 4 }).map((parts) => parts.join("")),
    fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((u) => String.fromCharCode(u)) }),
  );
  const texts = fc.sample(text, { seed: 7, numRuns: 400 });
  expect(await findFaults(toJunit(withTexts(report, [...nasty, ...texts])))).toEqual([]);
});

test("characters that XML cannot contain are replaced, and line breaks stay", async () => {
  const report = await brokenReport();
  const xml = toJunit(withTexts(report, ["a\u0000b\ud800c\n<d>"]));
  expect(xml).toContain('name="a\ufffdb\ufffdc&#10;&lt;d&gt;"');
});
