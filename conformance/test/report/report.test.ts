import { readFileSync } from "node:fs";
import { defineTool, type JsonObject, type JsonValue } from "@toolweave/core";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import {
  areas,
  formatReport,
  requirements,
  runConformance,
  toSummary,
  type Manifest,
} from "../../src/index.ts";
import { sourceManifest, toolsManifest } from "../fixtures/index.ts";

const schema = JSON.parse(
  readFileSync(new URL(import.meta.resolve("@toolweave/conformance/report.schema.json")), "utf8"),
) as JsonObject;

/** The schema without undescribed members. */
function strict(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(strict);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, strict(member as JsonValue)]);
  const copy = Object.fromEntries(entries) as JsonObject;
  return copy["type"] === "object" ? { ...copy, additionalProperties: false } : copy;
}

const ajv = new Ajv2020({ allErrors: true });
const published = ajv.compile(schema);
const complete = ajv.compile(strict(schema) as JsonObject);

function brokenManifest(more: Partial<Manifest> = {}): Manifest {
  const ping = defineTool({
    name: "ping",
    description: "",
    input: { type: "object" },
    execute: () => "pong",
  });
  return { name: "ping", create: () => [ping], without: "it only answers", ...more };
}

test.each<[what: string, manifest: Manifest, only?: readonly string[]]>([
  ["a healthy subject", sourceManifest()],
  ["a broken subject", brokenManifest()],
  [
    "a subject with known failures",
    brokenManifest({ knownFailing: { "TW-SPEC-003": "issue 12" } }),
  ],
  [
    "a subject that cannot be created",
    brokenManifest({ create: () => Promise.reject(new Error("no")) }),
  ],
  ["some rules", brokenManifest(), ["SPEC"]],
])(
  "the report of %s matches the published schema, without additional members",
  async (_, ...given) => {
    const [manifest, only] = given;
    const report = await runConformance(manifest, {
      seed: 1,
      ...(only === undefined ? {} : { only }),
    });
    const written = JSON.parse(JSON.stringify(report)) as unknown;
    expect([published(written), published.errors]).toEqual([true, null]);
    expect([complete(written), complete.errors]).toEqual([true, null]);
  },
);

test("the schema rejects a report whose failed rule has no observation", async () => {
  const report = await runConformance(brokenManifest(), { seed: 1, only: ["TW-SPEC-003"] });
  const rules = report.rules.map((rule) => ({ ...rule, seen: undefined }));
  const written = JSON.stringify({ ...report, rules });
  expect(published(JSON.parse(written))).toBe(false);
});

test("the counts by level and by area add up", async () => {
  const report = await runConformance(sourceManifest(), { seed: 1 });
  for (const key of ["passed", "failed", "notApplicable", "knownFailing"] as const) {
    const { must, should } = report.levels;
    expect(must[key] + should[key]).toBe(report[key]);
    expect(report.areas.reduce((sum, area) => sum + area[key], 0)).toBe(report[key]);
  }
  expect(report.rules.map(({ id }) => id)).toEqual(requirements.map(({ id }) => id));
});

test("every rule belongs to an area that has a title", () => {
  const known = new Set(areas.map(({ area }) => area));
  const used = new Set(requirements.map(({ id }) => id.split("-")[1] ?? ""));
  expect([...used].filter((area) => !known.has(area))).toEqual([]);
  expect(known.size).toBe(areas.length);
});

test("the report names the kit and its version", async () => {
  const path = new URL("../../package.json", import.meta.url);
  const { name, version } = JSON.parse(readFileSync(path, "utf8")) as Record<string, string>;
  const { kit } = await runConformance(brokenManifest(), { only: ["NAME"] });
  expect(kit).toEqual({ name, version });
});

test("the summary of a broken subject has a red badge for shields.io", async () => {
  const report = await runConformance(brokenManifest(), { seed: 5, only: ["TW-SPEC-003"] });
  const { result, seed, subject, rules, badge } = toSummary(report);
  expect({ result, seed, subject }).toEqual({
    result: "not conformant",
    seed: 5,
    subject: "ping",
  });
  expect(rules).toEqual(report.levels);
  expect(badge).toEqual({
    schemaVersion: 1,
    label: "toolweave",
    message: `not conformant (1 failed, ${report.rules.length} of ${report.rules.length} rules)`,
    color: "red",
  });
});

test("a must-rule that is known to fail makes the subject not conformant", async () => {
  const manifest = brokenManifest({ knownFailing: { "TW-SPEC-003": "issue 12" } });
  const report = await runConformance(manifest, { only: ["TW-SPEC-003"] });
  expect(report.ok).toBe(true);
  expect(toSummary(report)).toMatchObject({
    result: "not conformant",
    badge: { message: expect.stringMatching(/^not conformant \(1 known to fail, /) },
  });
});

test("a run of some rules is partial", async () => {
  const report = await runConformance(brokenManifest(), { only: ["TW-NAME-001"] });
  expect(toSummary(report)).toMatchObject({ result: "partial", badge: { color: "lightgrey" } });
});

test("the badge of a subject without sample calls shows how few rules apply", async () => {
  const report = await runConformance(brokenManifest(), { seed: 1 });
  const apply = report.rules.length - report.notApplicable;
  expect(apply).toBeLessThan(report.rules.length / 2);
  expect(toSummary(report).badge.message).toContain(`${apply} of ${report.rules.length} rules`);
});

test("a correct subject is conformant, and its badge is green", async () => {
  const report = await runConformance(sourceManifest(), { seed: 1 });
  expect(toSummary(report)).toMatchObject({
    result: "conformant",
    badge: { message: expect.stringMatching(/^conformant \(/), color: "brightgreen" },
  });
});

test("a subject whose tools were not called is not conformant", async () => {
  const { samples: _, generatedCalls: __, ...manifest } = toolsManifest();
  const report = await runConformance({ ...manifest, without: "none was given" }, { seed: 1 });
  expect(report).toMatchObject({ ok: true, complete: true });
  expect(toSummary(report)).toMatchObject({ result: "partial", badge: { color: "lightgrey" } });
  expect(formatReport(report)).toContain("no failure found: no tool was called");
});
