import type { PolicyRule } from "../../contract/policy-definition.ts";
import { annotationsCondition } from "./annotations.ts";
import { callersCondition } from "./callers.ts";
import type { Condition } from "./condition.ts";
import { permissionsCondition } from "./permissions.ts";
import { provenanceCondition } from "./provenance.ts";
import { toolsCondition } from "./tools.ts";

type ConditionName = Exclude<
  keyof PolicyRule,
  "id" | "effect" | "ask" | "reason" | "match" | "notMatch"
>;

type ConditionTable = {
  readonly [Name in ConditionName]: Condition<NonNullable<PolicyRule[Name]>>;
};

const conditions: ConditionTable = {
  tools: toolsCondition,
  provenance: provenanceCondition,
  annotations: annotationsCondition,
  permissions: permissionsCondition,
  callers: callersCondition,
};

/** The names of all conditions, in the order in which they are checked. */
export const conditionNames: readonly string[] = Object.keys(conditions);

/** A condition of a rule, and its value there. */
interface RuleCondition {
  readonly name: string;
  readonly condition: Condition<never>;
  readonly value: never;
}

/** Lists the conditions that a rule has. */
export function listConditions(rule: PolicyRule): readonly RuleCondition[] {
  return Object.entries(conditions).flatMap(([name, condition]) => {
    const value = rule[name as ConditionName];
    return value === undefined ? [] : [{ name, condition, value: value as never }];
  });
}
