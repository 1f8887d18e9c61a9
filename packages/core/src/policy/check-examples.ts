import { checkOptions } from "../contract/check-options.ts";
import { hostSource, isToolName } from "../contract/tool-names.ts";
import type { RegisteredTool } from "../contract/tool.ts";
import type { Caller } from "../contract/caller.ts";
import {
  checkBoolean,
  checkCondition,
  checkRecord,
  checkText,
  misuse,
} from "./conditions/check-values.ts";
import { CompiledRule } from "./compiled-rule.ts";
import { annotationsCondition } from "./conditions/annotations.ts";
import { impossible } from "./conditions/condition.ts";
import type { PolicyDefinition, PolicyExample } from "../contract/policy-definition.ts";

/**
 * Tries each rule on its own examples.
 *
 * @param where what the host calls the policy.
 * @param definition otherwise checked.
 * @throws ToolError `internal`, which names the rule and the example.
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
    rule.ofTool(entryOf(example)) !== impossible &&
    rule.ofPermission(permission && { ...permission, summary: "" }) !== impossible &&
    rule.ofCaller(caller) !== impossible
  );
}

function entryOf({ tool, trusted, annotations, provenance }: PolicyExample): RegisteredTool {
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
