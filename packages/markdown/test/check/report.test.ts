import { interpretedValidator } from "@toolweave/core/interpreted-validator";
import { describe, expect, test } from "vitest";
import { checkFile } from "../../src/check/check-file.ts";
import { formatReport } from "../../src/check/report.ts";
import type { Finding } from "../../src/text/finding.ts";

const findings: readonly Finding[] = [
  { file: "b.md", line: 2, column: 3, code: "later", severity: "warning", message: "second" },
  {
    file: "a b,c.md",
    line: 1,
    column: 2,
    code: "first",
    severity: "error",
    message: "100% wrong\nhere",
    hint: "repair: it",
  },
];

test("text has the line, a mark below the place, and the hint", () => {
  const texts = new Map([["b.md", "x\n\ta\u001B[31mb\n"]]);
  expect(formatReport(findings, { format: "text", texts })).toBe(
    "a b,c.md:1:2: error first: 100% wrong here\n      hint: repair: it\n" +
      "b.md:2:3: warning later: second\n    2 |   ab\n      |    ^\n",
  );
});

test("of a long line, the part around the place is displayed", () => {
  const texts = new Map([["b.md", `\n${"x".repeat(300)}y${"x".repeat(300)}`]]);
  const report = formatReport([{ ...(findings[0] as Finding), column: 301 }], {
    format: "text",
    texts,
  });
  const [, line = "", mark = ""] = report.split("\n");
  expect(line.length).toBe(108);
  expect(line[mark.indexOf("^")]).toBe("y");
});

test("at most 20 findings of a file are in the text, and all in other forms", () => {
  const many = Array.from({ length: 23 }, (_, index): Finding => ({
    ...(findings[0] as Finding),
    line: index + 1,
  }));
  const text = formatReport(many, { format: "text" });
  expect(text.trimEnd().split("\n")).toHaveLength(21);
  expect(text).toMatch(/b\.md: 3 more findings\n$/);
  expect(JSON.parse(formatReport(many, { format: "json" }))).toMatchObject({
    findings: { length: 23 },
    errors: 0,
    warnings: 23,
  });
});

test("github has one escaped annotation for each finding", () => {
  expect(formatReport(findings, { format: "github" })).toBe(
    "::error file=a b%2Cc.md,line=1,col=2,title=first::100%25 wrong%0Ahere%0Arepair: it\n" +
      "::warning file=b.md,line=2,col=3,title=later::second\n",
  );
});

test("nothing found is an empty text", () => {
  expect(formatReport([], { format: "text" })).toBe("");
  expect(formatReport([], { format: "github" })).toBe("");
  expect(JSON.parse(formatReport([], { format: "json" }))).toEqual({
    findings: [],
    errors: 0,
    warnings: 0,
  });
});

/** The parts of SARIF 2.1.0 (OASIS, sections 3.13 to 3.30) that a log must have, and no others. */
const sarif = {
  type: "object",
  required: ["version", "runs"],
  additionalProperties: false,
  properties: {
    $schema: { type: "string", format: "uri" },
    version: { const: "2.1.0" },
    runs: {
      type: "array",
      items: {
        type: "object",
        required: ["tool", "results"],
        additionalProperties: false,
        properties: {
          columnKind: { enum: ["utf16CodeUnits", "unicodeCodePoints"] },
          tool: {
            type: "object",
            required: ["driver"],
            properties: {
              driver: {
                type: "object",
                required: ["name"],
                additionalProperties: false,
                properties: {
                  name: { type: "string" },
                  version: { type: "string" },
                  rules: {
                    type: "array",
                    uniqueItems: true,
                    items: { type: "object", required: ["id"] },
                  },
                },
              },
            },
          },
          results: {
            type: "array",
            items: {
              type: "object",
              required: ["message", "ruleId", "level"],
              additionalProperties: false,
              properties: {
                ruleId: { type: "string" },
                ruleIndex: { type: "integer", minimum: 0 },
                level: { enum: ["none", "note", "warning", "error"] },
                message: { type: "object", required: ["text"] },
                locations: {
                  type: "array",
                  items: {
                    type: "object",
                    required: ["physicalLocation"],
                    properties: {
                      physicalLocation: {
                        type: "object",
                        properties: {
                          artifactLocation: {
                            type: "object",
                            properties: { uri: { type: "string", pattern: "^[^\\s\\\\]+$" } },
                          },
                          region: {
                            type: "object",
                            properties: {
                              startLine: { type: "integer", minimum: 1 },
                              startColumn: { type: "integer", minimum: 1 },
                            },
                          },
                        },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
};

describe("sarif", () => {
  test("is a log of SARIF 2.1.0", async () => {
    const log = JSON.parse(formatReport(findings, { format: "sarif", version: "1.0.0" })) as {
      readonly runs: readonly { readonly results: readonly { readonly ruleIndex: number }[] }[];
    };
    const validate = await interpretedValidator().compile(sarif);
    expect(validate(log)).toBeUndefined();
    expect(log.runs[0]).toMatchObject({
      tool: { driver: { rules: [{ id: "first" }, { id: "later" }] } },
      results: [
        {
          ruleId: "first",
          ruleIndex: 0,
          level: "error",
          locations: [{ physicalLocation: { artifactLocation: { uri: "a%20b%2Cc.md" } } }],
        },
        { ruleId: "later", ruleIndex: 1, level: "warning" },
      ],
    });
  });
});

test("the order in which findings are found does not change a report", () => {
  const { findings: found } = checkFile("x.md", "---\nscript: |\n  x = y\n  z = w\na: 1\n---\n", {
    kind: "tool",
  });
  expect(found.length).toBeGreaterThan(2);
  for (const format of ["text", "json", "sarif", "github"] as const)
    expect(formatReport(found.toReversed(), { format })).toBe(formatReport(found, { format }));
});
