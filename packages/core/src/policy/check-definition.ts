import { checkOptions } from "../contract/check-options.ts";
import type { PolicyDefinition, PolicyEffect, PolicyRule } from "../contract/policy-definition.ts";
import { checkText, checkWord, misuse } from "./conditions/check-values.ts";
import { conditionNames, listConditions } from "./conditions/rule-conditions.ts";
import { presetNames } from "./presets.ts";
import { ToolError } from "../contract/tool-error.ts";

/**
 * Makes a frozen copy of a host's policy, read once. Examples are not checked here: see `checkExamples`.
 *
 * @param where the host's name for it: `policy[1]`.
 * @throws ToolError `internal`, which says which rule, what is wrong with it, and what to write.
 */
export function checkDefinition(where: string, given: unknown): PolicyDefinition {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw misuse(
      where,
      "is no policy: give a preset, { rules: […] }, a function, or a list of them",
    );
  }
  const definition = readPlainJson(where, given) as Record<string, unknown>;
  checkOptions(where, definition, definitionKeys);
  const { name, preset, default: effect, rules } = definition;
  if ("name" in definition) checkText(`${where}.name`, name);
  if ("preset" in definition) checkWord(`${where}.preset`, preset, presetNames);
  if ("default" in definition) checkWord(`${where}.default`, effect, effects);
  if (preset !== undefined && effect !== undefined) {
    throw misuse(where, "has a preset and a default: write one of them");
  }
  if ("rules" in definition) checkRules(`${where}.rules`, rules);
  return definition as PolicyDefinition;
}

function checkRules(where: string, rules: unknown): void {
  if (!Array.isArray(rules)) throw misuse(where, "is no list: write [{ effect, tools, … }]");
  const names = new Set<string>();
  for (const [index, rule] of rules.entries()) {
    const place = `${where}[${index}]`;
    checkRule(place, rule);
    const name = (rule as PolicyRule).id ?? `rules[${index}]`;
    if (names.has(name)) throw misuse(`${place}.id`, `"${name}" is another rule's: choose one`);
    names.add(name);
  }
}

function checkRule(where: string, given: unknown): void {
  checkOptions(where, given, ruleKeys);
  const rule = given as Record<keyof PolicyRule, unknown>;
  checkWord(`${where}.effect`, rule.effect, effects);
  if ("ask" in rule) {
    checkWord(`${where}.ask`, rule.ask, ["always"]);
    if (rule.effect !== "ask") throw misuse(`${where}.ask`, `goes with effect "ask" only`);
  }
  if ("id" in rule) checkText(`${where}.id`, rule.id);
  if ("reason" in rule) checkText(`${where}.reason`, rule.reason);
  const conditions = listConditions(given as PolicyRule);
  for (const { name, condition, value } of conditions) condition.check(`${where}.${name}`, value);
  if (rule.effect === "allow" && conditions.length === 0) {
    throw misuse(
      where,
      `allows everything: say what it is for (${conditionNames.join(", ")}), or use preset autonomous`,
    );
  }
}

const definitionKeys: readonly string[] = [
  "name",
  "preset",
  "default",
  "rules",
] satisfies readonly (keyof PolicyDefinition)[];

const ruleKeys: readonly string[] = [
  "id",
  "effect",
  "ask",
  ...conditionNames,
  "reason",
  "match",
  "notMatch",
];

const effects: readonly string[] = ["allow", "ask", "deny"] satisfies readonly PolicyEffect[];

const maxDepth = 20;

/**
 * A frozen copy of plain JSON, each member read once. Unlike a conversion it refuses what JSON
 * cannot hold: a regular expression that quietly became a text would be a rule without effect.
 *
 * @param where what it is, for errors: `policy.rules[0]`.
 * @throws ToolError `internal`.
 */
function readPlainJson(where: string, value: unknown): unknown {
  try {
    return copy(where, value, 0);
  } catch (error) {
    if (ToolError.is(error)) throw error;
    throw new ToolError("internal", `${where} cannot be read.`, { cause: error });
  }
}

function copy(where: string, value: unknown, depth: number): unknown {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (value === undefined) {
    throw new ToolError("internal", `${where} is undefined: leave it out, or give it a value.`);
  }
  if (typeof value !== "object" || !(Array.isArray(value) || isPlainObject(value))) {
    throw new ToolError("internal", `${where} is no plain JSON: write it as data.`);
  }
  if (depth === maxDepth) throw new ToolError("internal", `${where} is nested too deeply.`);
  if (Array.isArray(value)) {
    return Object.freeze(
      Array.from(value, (item, index) => copy(`${where}[${index}]`, item, depth + 1)),
    );
  }
  // Entries define `__proto__` as a member like any other.
  return Object.freeze(
    Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key,
        copy(`${where}.${key}`, member, depth + 1),
      ]),
    ),
  );
}

/** Of any realm: its prototype has no prototype. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
