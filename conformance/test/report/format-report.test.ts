import { stripVTControlCharacters } from "node:util";
import { defineTool } from "@toolweave/core";
import { beforeAll, expect, test } from "vitest";
import { formatReport, runConformance, type ConformanceReport } from "../../src/index.ts";

let report: ConformanceReport;

beforeAll(async () => {
  const ping = defineTool({
    name: "ping",
    description: "",
    input: { type: "object" },
    execute: () => "pong",
  });
  report = await runConformance(
    {
      name: "ping \u001b]0;owned\u0007",
      create: () => [ping, { ...ping, spec: { ...ping.spec, name: "\u001b[2Jbad\u202e" } }],
      without: "it only \u001b[31manswers",
    },
    { seed: 9, only: ["TW-SPEC-003", "TW-NAME-001", "LIFE", "TW-CALL-002", "MANIFEST"] },
  );
});

test("the first line contains the verdict", () => {
  const [first, second] = formatReport(report).split("\n");
  expect(first).toContain(`not conformant: 2 of ${report.rules.length} rules failed`);
  expect(second).toContain("seed 9 · @toolweave/conformance ");
});

test("each area has a line with its counts", () => {
  const text = formatReport(report);
  expect(text).toMatch(/^SPEC {6}Tool specs +· +1 +· +·$/m);
  expect(text).toMatch(/^MANIFEST {2}The manifest +1 +· +· +·$/m);
});

test("a failure contains the rule, the problem, the action, the observation and the replay options", () => {
  const text = formatReport(report, { width: 200, replay: ({ id }) => `retry ${id}` });
  expect(text).toContain(
    [
      "TW-SPEC-003 failed (must, section 4): The description is not blank.",
      '  wrong   "ping" has no description (1 more fail as well).',
      "  done    Read each description (2 in all).",
      '  seen    "ping":',
      "  replay  retry TW-SPEC-003",
    ].join("\n"),
  );
  expect(formatReport(report)).toContain('  replay  { seed: 9, only: ["TW-SPEC-003"] }');
});

test("each reason why rules do not apply is listed once, with their ids", () => {
  const text = formatReport(report);
  const sources = report.rules.filter(
    ({ message }) => message === "create() returns a list of tools, not a source.",
  );
  expect(sources.length).toBeGreaterThan(2);
  expect(text.split("create() returns a list of tools, not a source.")).toHaveLength(2);
  const [listed = ""] = /(?<=not a source\.\n)(?: {4}.*\n)+/.exec(text) ?? [];
  const named = listed
    .replaceAll(/(\d{3})…(\d{3})/g, (_, first: string, last: string) =>
      Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) =>
        String(Number(first) + index).padStart(3, "0"),
      ).join(", "),
    )
    .match(/\d{3}/g);
  expect(named).toEqual(sources.map(({ id }) => id.slice(-3)));
});

test("texts of tools cannot control the terminal", () => {
  const text = formatReport(report, { verbose: true });
  // oxlint-disable-next-line no-control-regex
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  expect(text).toContain("\\u{1b}[31manswers");
});

test.each([40, 60, 80, 132])("no line is longer than %i columns", (width) => {
  const lines = formatReport(report, { width, verbose: true }).split("\n");
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
});

test("colours are optional and change nothing else", () => {
  const colored = formatReport(report, { colors: true });
  expect(colored).toContain("\u001b[31m");
  expect(stripVTControlCharacters(colored)).toBe(formatReport(report));
});

test("a verbose report also lists the actions of fulfilled rules", () => {
  expect(formatReport(report)).not.toContain("Passed");
  expect(formatReport(report, { verbose: true })).toMatch(/^Passed\n {2}TW-MANIFEST-001 /m);
});
