import { checkOptions } from "../contract/check-options.ts";
import type {
  PolicyDefinition,
  PolicyEffect,
  PolicyRule,
  PolicyExample,
} from "../contract/policy-definition.ts";
import {
  checkText,
  checkWord,
  misuse,
  checkBoolean,
  checkCondition,
  checkRecord,
} from "./conditions/check-values.ts";
import { conditionNames, listConditions } from "./conditions/rule-conditions.ts";
import { presetNames } from "./presets.ts";
import { ToolError } from "../contract/tool-error.ts";
import { hostSource, isToolName } from "../contract/tool-names.ts";
import type { RegisteredTool } from "../contract/tool.ts";
import type { Caller } from "../contract/caller.ts";
import { CompiledRule } from "./compiled-rule.ts";
import { annotationsCondition } from "./conditions/annotations.ts";
import { impossible } from "./conditions/condition.ts";

/**
 * Makes a frozen copy of a host's policy, read once. Examples are not checked here: see `checkExamples`.
 *
 * @param where the host's name for it: `policy[1]`.
 * @throws ToolError `invalid_configuration`, which says which rule, what is wrong with it, and what to write.
 */
export function checkDefinition(where: string, given: unknown): PolicyDefinition {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw misuse(
      where,
      "is no policy: give a preset, { rules: […] }, a function, or a list of them",
    );
  }
  const definition = readPlainJson(where, given) as Record<string, unknown>;
  if ("effect" in definition) {
    throw misuse(
      where,
      "is a rule where a policy is expected: a list of rules is written as { rules: [{ effect, tools, … }] }",
    );
  }
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
 * @throws ToolError `invalid_configuration`.
 */
function readPlainJson(where: string, value: unknown): unknown {
  try {
    return copy(where, value, 0);
  } catch (error) {
    if (ToolError.is(error)) throw error;
    throw new ToolError("invalid_configuration", `${where} cannot be read.`, { cause: error });
  }
}

function copy(where: string, value: unknown, depth: number): unknown {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (value === undefined) {
    throw new ToolError(
      "invalid_configuration",
      `${where} is undefined: leave it out, or give it a value.`,
    );
  }
  if (typeof value !== "object" || !(Array.isArray(value) || isPlainObject(value))) {
    throw new ToolError("invalid_configuration", `${where} is no plain JSON: write it as data.`);
  }
  if (depth === maxDepth)
    throw new ToolError("invalid_configuration", `${where} is nested too deeply.`);
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

/**
 * Tries each rule on its own examples.
 *
 * @param where what the host calls the policy.
 * @param definition otherwise checked.
 * @throws ToolError `invalid_configuration`, which names the rule and the example.
 */
export function checkExamples(where: string, { rules = [] }: PolicyDefinition): void {
  for (const [index, rule] of rules.entries()) {
    const compiled = new CompiledRule(rule, `rules[${index}]`, where);
    for (const kind of ["match", "notMatch"] as const) {
      if (!(kind in rule)) continue;
      const place = `${where}.rules[${index}].${kind}`;
      const examples: unknown = rule[kind];
      if (!Array.isArray(examples)) throw misuse(place, `is no list: write [{ tool: "…" }]`);
      for (const [at, example] of (examples as readonly unknown[]).entries()) {
        const matches = isMatched(compiled, checkExample(`${place}[${at}]`, example));
        if (matches === (kind === "match")) continue;
        throw misuse(
          `${place}[${at}]`,
          `${JSON.stringify(example)} is ${matches ? "" : "not "}what the rule matches: correct one of them`,
        );
      }
    }
  }
}

function isMatched(rule: CompiledRule, example: PolicyExample): boolean {
  const { permission, caller } = example;
  return (
    rule.ofTool(toEntry(example)) !== impossible &&
    rule.ofPermission(permission && { ...permission, summary: "" }) !== impossible &&
    rule.ofCaller(caller) !== impossible
  );
}

function toEntry({ tool, trusted, annotations, provenance }: PolicyExample): RegisteredTool {
  return {
    tool: {
      spec: {
        name: tool,
        description: "",
        inputSchema: {},
        annotations: annotations ?? {},
        provenance: { adapter: "code", ...provenance },
      },
      invoke: () => "",
    },
    source: provenance?.source ?? hostSource,
    trusted: trusted ?? true,
  };
}

function checkExample(where: string, given: unknown): PolicyExample {
  const example = (typeof given === "string" ? { tool: given } : given) as PolicyExample;
  checkOptions(where, example, exampleKeys);
  const { tool, trusted, annotations, provenance, permission, caller } = example;
  if (!isToolName(tool)) throw misuse(`${where}.tool`, "is no tool's name: write its whole name");
  if (trusted !== undefined) checkBoolean(`${where}.trusted`, trusted);
  if (annotations !== undefined) {
    annotationsCondition.check(`${where}.annotations`, annotations);
  }
  if (provenance !== undefined) checkProvenance(`${where}.provenance`, provenance);
  if (permission !== undefined) {
    checkCondition(`${where}.permission`, permission, ["kind", "target"]);
    checkText(`${where}.permission.kind`, permission.kind);
    checkText(`${where}.permission.target`, permission.target);
  }
  if (caller !== undefined) checkCaller(`${where}.caller`, caller);
  return example;
}

function checkProvenance(where: string, given: NonNullable<PolicyExample["provenance"]>): void {
  checkCondition(where, given, ["adapter", "source", "origin"]);
  const { origin, ...rest } = given;
  checkTexts(where, rest);
  if (origin === undefined) return;
  checkRecord(`${where}.origin`, origin, `{ method: "GET" }`);
  checkTexts(`${where}.origin`, origin);
}

function checkCaller(where: string, given: Caller): void {
  checkCondition(where, given, ["id", "roles", "agent"]);
  const { roles, ...rest } = given;
  checkText(`${where}.id`, rest.id);
  checkTexts(where, rest);
  if (roles === undefined) return;
  if (!Array.isArray(roles)) throw misuse(`${where}.roles`, `is no list: write ["admin"]`);
  for (const [index, role] of roles.entries()) checkText(`${where}.roles[${index}]`, role);
}

function checkTexts(where: string, given: object): void {
  for (const [member, text] of Object.entries(given)) checkText(`${where}.${member}`, text);
}

const exampleKeys: readonly string[] = [
  "tool",
  "trusted",
  "annotations",
  "provenance",
  "permission",
  "caller",
] satisfies readonly (keyof PolicyExample)[];
