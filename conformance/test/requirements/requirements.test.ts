import { expect, test } from "vitest";
import { checks } from "../../src/checks/checks.ts";
import { requirements } from "../../src/index.ts";
import { mutants } from "../mutants/index.ts";

const ids = requirements.map(({ id }) => id);

test("every rule has one id, a unique sentence and a section of the design", () => {
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(requirements.map(({ text }) => text)).size).toBe(ids.length);
  for (const { id, text, section } of requirements) {
    expect(id).toMatch(/^TW-[A-Z]+-\d{3}$/);
    expect(text).toMatch(/^[A-Za-z].*\.$/);
    expect(Number(section)).toBeGreaterThan(0);
  }
});

test("every rule has one check, and every check a rule", () => {
  expect(checks.map(({ id }) => id).sort()).toEqual([...ids].sort());
});

test("every must-rule has a mutant, and every mutant a rule", () => {
  const broken = new Set(mutants.map(({ rule }) => rule));
  const musts = requirements.filter(({ level }) => level === "must").map(({ id }) => id);
  expect(musts.filter((id) => !broken.has(id))).toEqual([]);
  expect([...broken].filter((id) => !ids.includes(id))).toEqual([]);
});

test("no two mutants of a rule have the same name", () => {
  const names = mutants.map(({ rule, what }) => `${rule} ${what}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test("a rule builds only on existing rules, without cycles", () => {
  const standsOn = new Map(requirements.map(({ id, presupposes }) => [id, presupposes]));
  const visit = (id: string, path: readonly string[]): void => {
    expect(path).not.toContain(id);
    const others = standsOn.get(id);
    expect(others, `${path.at(-1)} stands on ${id}`).toBeDefined();
    for (const other of others ?? []) visit(other, [...path, id]);
  };
  for (const { id } of requirements) visit(id, []);
});

test("no rule lists a rule that it builds on indirectly", () => {
  const standsOn = new Map(requirements.map(({ id, presupposes }) => [id, presupposes]));
  const below = (id: string): readonly string[] =>
    (standsOn.get(id) ?? []).flatMap((other) => [other, ...below(other)]);
  const twice = requirements.flatMap(({ id, presupposes }) => {
    const known = presupposes.flatMap(below);
    return presupposes.filter((other) => known.includes(other)).map((other) => `${id}: ${other}`);
  });
  expect(twice).toEqual([]);
});
