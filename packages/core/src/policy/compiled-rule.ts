import type { Caller } from "../contract/caller.ts";
import {
  approvalKind,
  type PermissionRequest,
  type PolicyRule,
} from "../contract/policy-definition.ts";
import type { RegisteredTool } from "../contract/tool.ts";
import {
  certain,
  impossible,
  possible,
  unclear,
  type Certainty,
  type ConditionSubjects,
  type Test,
} from "./conditions/condition.ts";
import { listConditions } from "./conditions/rule-conditions.ts";
import { listGlobs } from "./conditions/globs.ts";
import type { Decision } from "./decision.ts";

type RuleTests = {
  readonly [Subject in keyof ConditionSubjects]: Test<ConditionSubjects[Subject]>[];
};

/** A rule whose conditions have become tests. */
export class CompiledRule {
  readonly decision: Decision;
  /** The same where the rule applies for want of a caller. */
  readonly withoutCaller: Decision;
  /** The same where nothing says whether the rule applies: it asks. */
  readonly ifUnclear: Decision;
  /** It is for permissions, not for calls. */
  readonly forPermissions: boolean;
  readonly forCallers: boolean;
  /** It allows, and names the approval that a tool asks for itself. */
  readonly liftsNeeds: boolean;
  readonly #tests: RuleTests;

  /** @param rule checked. */
  constructor(rule: PolicyRule, place: string, layer: string) {
    const { id, effect, ask, reason } = rule;
    const name = id ?? place;
    const decided = {
      effect,
      ...(ask === undefined ? {} : { ask }),
      ...(effect === "allow"
        ? {}
        : {
            remedy: `The rule ${name} of the policy "${layer}" decides: a rule that allows does not outweigh it.`,
          }),
      rule: name,
      layer,
    };
    const why = reason ?? `${layer}: ${name} ${verbs[effect]}`;
    this.decision = Object.freeze({ ...decided, reason: why });
    this.withoutCaller = Object.freeze({ ...decided, reason: `${why} (the call has no caller)` });
    this.ifUnclear = Object.freeze({
      ...decided,
      effect: "ask",
      reason: `${why} (a part of the action is not known)`,
    });
    this.#tests = compileConditions(rule);
    this.forPermissions = this.#tests.permission.length > 0;
    this.forCallers = this.#tests.caller.length > 0;
    this.liftsNeeds =
      effect === "allow" &&
      (rule.annotations?.needsApprovalHint === true ||
        listGlobs(rule.permissions?.kind).includes(approvalKind));
  }

  /** Whether the rule is for a tool, as far as the tool alone determines it. */
  ofTool(entry: RegisteredTool): Certainty {
    return this.#testAll(this.#tests.tool, entry);
  }

  /** Whether it is for what a caller does. */
  ofCaller(caller: Caller | undefined): Certainty {
    if (!this.forCallers) return certain;
    return caller === undefined
      ? this.#enough(possible)
      : this.#testAll(this.#tests.caller, caller);
  }

  /** Whether it is for a permission, or for the call itself. */
  ofPermission(permission: PermissionRequest | undefined): Certainty {
    if (!this.forPermissions) return certain;
    return permission === undefined
      ? impossible
      : this.#testAll(this.#tests.permission, permission);
  }

  #testAll<Subject>(tests: readonly Test<Subject>[], subject: Subject): Certainty {
    let least: Certainty = certain;
    for (const test of tests) {
      const certainty = test(subject);
      if (certainty === impossible) return impossible;
      if (certainty < least) least = certainty;
    }
    return this.#enough(least);
  }

  #enough(certainty: Certainty): Certainty {
    const isUncertain = certainty === possible || certainty === unclear;
    return isUncertain && this.decision.effect === "allow" ? impossible : certainty;
  }
}

const verbs = { allow: "allows it", ask: "asks first", deny: "denies it" } as const;

function compileConditions(rule: PolicyRule): RuleTests {
  const tests: RuleTests = { tool: [], permission: [], caller: [] };
  for (const { condition, value } of listConditions(rule)) {
    (tests[condition.subject] as Test<never>[]).push(condition.compile(value));
  }
  return tests;
}
