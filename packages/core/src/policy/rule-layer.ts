import type { RegisteredTool } from "../contract/tool.ts";
import type { Caller } from "../contract/caller.ts";
import { CompiledRule } from "./compiled-rule.ts";
import { certain, impossible, unclear, type Certainty } from "./conditions/condition.ts";
import {
  noOpinion,
  stricter,
  type Decision,
  type PolicySubject,
  type PolicyLayer,
} from "./decision.ts";
import {
  approvalKind,
  type PolicyDefinition,
  type PolicyEffect,
  type PolicyPreset,
} from "../contract/policy-definition.ts";
import {
  hidingNothing,
  needsDecider,
  presetDecider,
  withNeeds,
  type DefaultDecider,
} from "./presets.ts";

/** The rules' evaluation for one tool; computed once. */
interface Plan {
  /** The rules that may match it, in order. */
  readonly rules: readonly { readonly rule: CompiledRule; readonly certainty: Certainty }[];
  /** Decides the call itself for every caller; absent when that depends on the caller. */
  readonly call?: Decision;
  /** Decides everything, for every caller and permission. */
  readonly all?: Decision;
}

/** A policy of rules, with what becomes of the rest: all of it data. */
export class RuleLayer implements PolicyLayer {
  readonly name: string;
  readonly dependsOnCaller: boolean;
  readonly hidesNothing: boolean;
  withoutDefault?: PolicyLayer;
  readonly #data: PolicyPreset | PolicyDefinition;
  readonly #rules: readonly CompiledRule[];
  /** Absent: what no rule matches is left to the layers before. */
  readonly #default?: DefaultDecider;
  /** In the first policy: the approval that tools ask for themselves, if no rule lifts it. */
  readonly #needs?: DefaultDecider;
  /** Subjects that no rule matches may be denied. */
  readonly #defaultHides: boolean;
  readonly #plans = new WeakMap<RegisteredTool, Plan>();

  /**
   * @param data checked and frozen, with its preset when it is the first of several.
   * @param isFirst it decides about the approval that tools ask for themselves: further policies only narrow.
   */
  constructor(name: string, data: PolicyPreset | PolicyDefinition, isFirst: boolean) {
    const {
      preset,
      default: effect,
      rules = [],
    }: PolicyDefinition = typeof data === "string" ? { preset: data } : data;
    this.name = name;
    this.#data = data;
    this.#rules = rules.map((rule, index) => new CompiledRule(rule, `rules[${index}]`, name));
    this.dependsOnCaller = this.#rules.some(({ forCallers }) => forCallers);
    this.#defaultHides =
      effect === "deny" || (preset !== undefined && !hidingNothing.includes(preset));
    this.hidesNothing =
      !this.#defaultHides && this.#rules.every(({ decision }) => decision.effect !== "deny");
    if (preset !== undefined) this.#default = presetDecider(preset, name);
    else if (effect !== undefined) {
      const decision = decisionFor(effect, name);
      this.#default = () => decision;
    }
    if (isFirst && this.#default !== undefined) {
      this.#needs = needsDecider(name);
      this.#default = withNeeds(this.#needs, this.#default);
    }
  }

  mayRun(entry: RegisteredTool, caller: Caller | undefined): boolean {
    try {
      let loosened = false;
      // A plan takes more than this one question, unless every caller asks it.
      const planned = this.dependsOnCaller ? this.#planFor(entry).rules : undefined;
      const count = (planned ?? this.#rules).length;
      for (let index = 0; index < count; index++) {
        const rule = planned?.[index]?.rule ?? (this.#rules[index] as CompiledRule);
        const certainty = planned?.[index]?.certainty ?? rule.ofTool(entry);
        if (certainty === impossible) continue;
        const matches = weaker(certainty, rule.ofCaller(caller));
        if (matches === impossible) continue;
        if (rule.decision.effect === "deny") {
          if (!rule.forPermissions) return false;
        } else if (matches === certain && (!rule.forPermissions || isJudgedByPermissions(entry))) {
          loosened = true;
        }
      }
      return (
        loosened || !this.#defaultHides || this.#default?.(entry, undefined)?.effect !== "deny"
      );
    } catch {
      return false;
    }
  }

  decideByTool(entry: RegisteredTool): Decision | undefined {
    try {
      if (this.#rules.length > 0) return this.#planFor(entry).call;
      return this.#default?.(entry, undefined) ?? noOpinion;
    } catch (cause) {
      return this.#undecidable(cause);
    }
  }

  decide(subject: PolicySubject): Decision {
    const { entry, permission } = subject;
    try {
      if (this.#rules.length === 0) return this.#default?.(entry, permission) ?? noOpinion;
      const plan = this.#planFor(entry);
      if (plan.all !== undefined && permission?.kind !== approvalKind) return plan.all;
      if (plan.call !== undefined && permission === undefined) return plan.call;
      return this.#weigh(plan.rules, subject);
    } catch (cause) {
      return this.#undecidable(cause);
    }
  }

  explain(subject: PolicySubject): readonly Decision[] {
    const considered: Decision[] = [];
    try {
      this.#weigh(this.#planFor(subject.entry).rules, subject, considered);
    } catch (cause) {
      considered.push(this.#undecidable(cause));
    }
    return considered;
  }

  toJSON(): PolicyPreset | PolicyDefinition {
    return this.#data;
  }

  /**
   * The strictest of all that match. The default counts unless a rule matches for certain, and the approval that a tool asks
   * for itself unless one that names it allows.
   */
  #weigh(
    rules: Plan["rules"],
    { entry, permission, caller }: PolicySubject,
    considered?: Decision[],
  ): Decision {
    let strictest = noOpinion;
    let matched = false;
    let isLifted = false;
    for (const { rule, certainty } of rules) {
      const matches = weaker(
        certainty,
        weaker(rule.ofPermission(permission), rule.ofCaller(caller)),
      );
      if (matches === impossible) continue;
      if (matches === certain) {
        matched = true;
        if (rule.liftsNeeds) isLifted = true;
      }
      const known = rule.forCallers && caller === undefined ? rule.withoutCaller : rule.decision;
      const decision = matches === unclear ? rule.ifUnclear : known;
      considered?.push(decision);
      strictest = stricter(strictest, decision);
    }
    const decider = matched ? (isLifted ? undefined : this.#needs) : this.#default;
    const otherwise = decider?.(entry, permission) ?? noOpinion;
    if (otherwise !== noOpinion) {
      considered?.push(otherwise);
      strictest = stricter(strictest, otherwise);
    }
    return strictest;
  }

  #planFor(entry: RegisteredTool): Plan {
    let plan = this.#plans.get(entry);
    if (plan === undefined) this.#plans.set(entry, (plan = this.#plan(entry)));
    return plan;
  }

  #plan(entry: RegisteredTool): Plan {
    const rules: { rule: CompiledRule; certainty: Certainty }[] = [];
    let byPermission = false;
    let byCaller = false;
    let matched = false;
    for (const rule of this.#rules) {
      const certainty = rule.ofTool(entry);
      if (certainty === impossible) continue;
      rules.push({ rule, certainty });
      if (rule.forPermissions) byPermission = true;
      if (rule.forCallers) byCaller = true;
      if (certainty === certain) matched = true;
    }
    if (byCaller) return { rules };
    const call = this.#weigh(rules, { entry, ...noPermission });
    const all = !byPermission && (matched || this.#default === undefined);
    return all ? { rules, call, all: call } : { rules, call };
  }

  #undecidable(cause: unknown): Decision {
    const reason = `${this.name}: the call cannot be judged`;
    return { effect: "deny", reason, rule: "default", layer: this.name, cause };
  }
}

const noPermission = { permission: undefined, caller: undefined, arguments: {} } as const;

/** Only a trusted tool's permissions are believed to cover all effects of its call. */
function isJudgedByPermissions({ tool, trusted }: RegisteredTool): boolean {
  return trusted && tool.preflight !== undefined;
}

function decisionFor(effect: PolicyEffect, layer: string): Decision {
  return Object.freeze({
    effect,
    reason: `${layer}: ${defaults[effect]}`,
    ...(effect !== "allow" ? { byDefault: true } : {}),
    rule: "default",
    layer,
  });
}

const defaults = {
  allow: "no rule forbids it",
  ask: "calls that no rule matches ask first",
  deny: "calls that no rule matches are denied",
} as const;

function weaker(first: Certainty, second: Certainty): Certainty {
  return first < second ? first : second;
}
