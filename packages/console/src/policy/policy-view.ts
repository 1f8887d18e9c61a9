import type {
  PolicyDefinition,
  PolicyEffect,
  PolicyPreset,
  PolicyRule,
  ToolExecutor,
} from "@toolweave/core";

/** The policies in force. */
export interface PolicyView {
  /** In order: each can only narrow those before it, except for policies for sources before all others. */
  readonly layers: readonly PolicyLayerView[];
  /** Rules that have no effect, each with its place. */
  readonly warnings: readonly string[];
}

/** A policy. */
export interface PolicyLayerView {
  readonly name: string;
  /** Decides about calls that no rule matches. */
  readonly preset?: PolicyPreset;
  /** In place of a preset. */
  readonly default?: PolicyEffect;
  readonly rules: readonly PolicyRuleView[];
  /** The policy is a function of the host: it has no rules. */
  readonly isFunction?: true;
  /** The sources about whose tools alone it decides, as globs. Absent: all. */
  readonly sources?: readonly string[];
}

/** A rule of a policy. */
export interface PolicyRuleView {
  /** Its id or its place, as in explanations. */
  readonly id: string;
  /** The calls that the rule is for, in one line. */
  readonly text: string;
  /** `ask always`: no grant answers. */
  readonly effect: PolicyEffect | "ask always";
  /** The reason that the rule gives. */
  readonly remark?: string;
}

/** Reads the policies in force, without secrets. */
export function getPolicy(executor: ToolExecutor): PolicyView {
  const warnings = executor.configurationWarnings();
  return executor.redact({
    layers: executor.policies.map((layer) => toLayerView(layer, layer.toJSON())),
    warnings: warnings.map(({ where, message }) => `${where} ${message}`),
  });
}

function toLayerView(
  { name, sources }: ToolExecutor["policies"][number],
  data: PolicyPreset | PolicyDefinition | undefined,
): PolicyLayerView {
  if (data === undefined) {
    const about = sources === undefined ? {} : { sources: [sources].flat() };
    return { name, rules: [], isFunction: true, ...about };
  }
  if (typeof data === "string") return { name, preset: data, rules: [] };
  const { preset, default: effect, rules = [] } = data;
  return {
    name,
    ...(preset === undefined ? {} : { preset }),
    ...(effect === undefined ? {} : { default: effect }),
    rules: rules.map(toRuleView),
  };
}

function toRuleView(rule: PolicyRule, index: number): PolicyRuleView {
  const { id = `rules[${index}]`, effect, ask, reason } = rule;
  return {
    id,
    text: describeRule(rule),
    effect: ask === "always" ? "ask always" : effect,
    ...(reason === undefined ? {} : { remark: reason }),
  };
}

/** Describes the calls that a rule is for: `tools delete_*; permissions kind network, target DELETE *`. */
function describeRule({
  id: _id,
  effect: _effect,
  ask: _ask,
  reason: _reason,
  match: _match,
  notMatch: _notMatch,
  ...conditions
}: PolicyRule): string {
  const described = Object.entries(conditions).map(([name, value]) => {
    const isGlobs = typeof value === "string" || Array.isArray(value);
    return `${name} ${isGlobs ? describeValue(value) : describeMembers(value)}`;
  });
  return described.length === 0 ? "every call" : described.join("; ");
}

function describeMembers(value: unknown, prefix = ""): string {
  return Object.entries(value as Readonly<Record<string, unknown>>)
    .map(([name, member]) =>
      typeof member === "object" && member !== null && !Array.isArray(member)
        ? describeMembers(member, `${prefix}${name}.`)
        : `${prefix}${name} ${describeValue(member)}`,
    )
    .join(", ");
}

function describeValue(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(" or ") : String(value);
}
