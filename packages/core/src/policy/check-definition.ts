import { checkOptions } from "../contract/check-options.ts";
import { globMatcher } from "../text/glob.ts";
import {
  checkAllGlobs,
  checkBoolean,
  checkCondition,
  checkGlobs,
  checkRecord,
  checkText,
  checkWord,
  misuse,
  nearest,
} from "./check-values.ts";
import {
  permissionKinds,
  type AnnotationCondition,
  type CallerCondition,
  type PermissionCondition,
  type PolicyDefinition,
  type PolicyEffect,
  type PolicyRule,
  type ProvenanceCondition,
} from "../contract/policy-definition.ts";
import { hintNames } from "./compiled-rule.ts";
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
  if ("tools" in rule) checkGlobs(`${where}.tools`, rule.tools, toolGlobFault);
  for (const [condition, check] of Object.entries(conditions)) {
    if (condition in rule) check(`${where}.${condition}`, rule[condition as keyof PolicyRule]);
  }
  if (rule.effect === "allow" && !conditionKeys.some((condition) => condition in rule)) {
    throw misuse(
      where,
      `allows everything: say what it is for (${conditionKeys.join(", ")}), or use preset autonomous`,
    );
  }
}

/** Where a tool comes from, as a condition. */
export function checkProvenance(where: string, given: unknown): void {
  checkCondition(where, given, ["adapter", "source", "origin"]);
  const { origin, ...globs } = given as Record<keyof ProvenanceCondition, unknown>;
  checkAllGlobs(where, globs);
  if (!("origin" in (given as object))) return;
  checkRecord(`${where}.origin`, origin, `{ method: "DELETE" }`);
  checkAllGlobs(`${where}.origin`, origin as object);
}

/** Annotations, as a condition and in an example. */
export function checkAnnotations(where: string, given: unknown): void {
  checkCondition(where, given, [...hintNames, "access"]);
  const { access, ...hints } = given as Record<keyof AnnotationCondition, unknown>;
  for (const [hint, wanted] of Object.entries(hints)) checkBoolean(`${where}.${hint}`, wanted);
  if (!("access" in (given as object))) return;
  checkCondition(`${where}.access`, access, accessKeys);
  const { filesystem, ...reached } = access as Record<string, unknown>;
  for (const [what, wanted] of Object.entries(reached)) {
    checkBoolean(`${where}.access.${what}`, wanted);
  }
  if (filesystem === undefined) return;
  checkGlobs(`${where}.access.filesystem`, filesystem, (mode) =>
    accessModes.includes(mode) ? undefined : nearest(mode, accessModes),
  );
}

function checkPermissions(where: string, given: unknown): void {
  checkCondition(where, given, ["kind", "target"]);
  const { kind, target } = given as Record<keyof PermissionCondition, unknown>;
  if (kind !== undefined) checkGlobs(`${where}.kind`, kind, kindGlobFault);
  if (target !== undefined) checkGlobs(`${where}.target`, target);
}

function checkCallers(where: string, given: unknown): void {
  checkCondition(where, given, ["id", "roles", "agent"] satisfies (keyof CallerCondition)[]);
  checkAllGlobs(where, given as object);
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
  "tools",
  "provenance",
  "annotations",
  "permissions",
  "callers",
  "reason",
  "match",
  "notMatch",
] satisfies readonly (keyof PolicyRule)[];

const conditions = {
  provenance: checkProvenance,
  annotations: checkAnnotations,
  permissions: checkPermissions,
  callers: checkCallers,
} satisfies Partial<Record<keyof PolicyRule, unknown>>;

const conditionKeys: readonly string[] = ["tools", ...Object.keys(conditions)];
const effects: readonly string[] = ["allow", "ask", "deny"] satisfies readonly PolicyEffect[];
const accessKeys: readonly string[] = ["filesystem", "process", "network", "spend"];
const accessModes: readonly string[] = ["none", "read", "write"];

/** A glob that can match no tool's name would make a rule without effect. */
function toolGlobFault(glob: string): string | undefined {
  const fits = /^[A-Za-z_*?][A-Za-z0-9_*?-]*$/.test(glob) && glob.replaceAll("*", "").length <= 64;
  return fits
    ? undefined
    : "no tool is named so: names are letters, digits, _ and -, 64 at most; * is any run, ? is one";
}

function kindGlobFault(glob: string): string | undefined {
  const [literal = ""] = glob.split(/[*?]/, 1);
  const isCustom =
    literal === glob
      ? glob.startsWith("custom.")
      : literal.startsWith("custom.") || "custom.".startsWith(literal);
  if (isCustom || permissionKinds.some(globMatcher([glob]))) return undefined;
  return `no permission is of that kind: ${nearest(glob, [...permissionKinds, "custom.…"])}`;
}

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
