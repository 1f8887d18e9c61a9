import { checkOptions } from "../contract/check-options.ts";
import { copyCaller, type Caller } from "../contract/caller.ts";
import { formatValue } from "../text/format-value.ts";
import {
  permissionKinds,
  type PermissionRequest,
  type PolicyDefinition,
  type PolicyEffect,
  type PolicyRule,
} from "../contract/policy-definition.ts";
import type { Toolset } from "../contract/tool.ts";
import { ToolError } from "../contract/tool-error.ts";
import { globMatcher } from "../text/glob.ts";
import { narrowPolicy } from "./compile-policy.ts";
import { listGlobs } from "./conditions/globs.ts";
import { decidePermission, type PolicyLayer } from "./decision.ts";
import { placeOfLayer, policyWarnings } from "./rule-warnings.ts";

/** How a rule is tried. */
export interface TryRuleOptions {
  /** The name of the policy that the rule is added to. Default: the first one that has rules or a preset. */
  readonly layer?: string;
  /** Whose calls are decided about. Default: calls without a caller. */
  readonly caller?: Caller;
}

/** A decision that a rule would change. */
export interface RuleChange {
  readonly tool: string;
  /**
   * If the rule is for permissions: an example that it is for, with its globs in place of names. Absent: the call itself.
   */
  readonly permission?: Pick<PermissionRequest, "kind" | "target">;
  readonly before: TriedEffect;
  readonly after: TriedEffect;
}

/** A decision. `ask always`: a person is asked, and no grant answers. */
export type TriedEffect = PolicyEffect | "ask always";

/** The changes that a rule would make. */
export interface TriedRule {
  /** The name of the policy that the rule was added to. */
  readonly layer: string;
  readonly changes: readonly RuleChange[];
  /** The number of tools about whose calls the decision stays the same. */
  readonly unchanged: number;
  /** Why the rule has no effect, if it has none. */
  readonly warnings: readonly string[];
}

/** Maximum number of permissions that are tried for each tool. */
const maxPermissions = 50;

/** The parts of an executor with which a rule is tried. */
export interface PolicyHolder {
  readonly policies: readonly Pick<PolicyLayer, "name" | "toJSON">[];
  readonly registry: { toolset(): Pick<Toolset, "entries"> };
}

/**
 * Finds the decisions that one further rule would change: the policy decides about a call of every tool without
 * arguments, and, if the rule is for permissions, about an example of them, with and without the rule. The policy in
 * force stays as it is.
 *
 * @param executor a `ToolExecutor`.
 * @throws ToolError `invalid_configuration` (by rejecting) when the rule or an option is not valid.
 */
export async function tryRule(
  executor: PolicyHolder,
  rule: PolicyRule,
  options: TryRuleOptions = {},
): Promise<TriedRule> {
  checkOptions("tryRule", options, ["layer", "caller"]);
  const layers = executor.policies as readonly PolicyLayer[];
  const entries = [...executor.registry.toolset().entries()];
  const caller = options.caller === undefined ? undefined : copyCaller(options.caller);
  const index = findLayer(layers, options.layer);
  const { layers: changed, where } = addRule(layers, index, rule);
  const permissions = [undefined, ...listExamples(rule)];
  const changes: RuleChange[] = [];
  const changedTools = new Set<string>();
  for (const entry of entries) {
    const seen = new Set<string>();
    for (const permission of permissions) {
      if (permission !== undefined && entry.tool.preflight === undefined) continue;
      const subject = { entry, permission, caller, arguments: {} };
      const before = toEffect(await decidePermission(layers, subject));
      const after = toEffect(await decidePermission(changed, subject));
      if (before === after || seen.has(`${before} ${after}`)) continue;
      seen.add(`${before} ${after}`);
      const tool = entry.tool.spec.name;
      changedTools.add(tool);
      const example =
        permission === undefined
          ? {}
          : { permission: { kind: permission.kind, target: permission.target } };
      changes.push({ tool, ...example, before, after });
    }
  }
  return {
    layer: (layers[index] as PolicyLayer).name,
    changes,
    unchanged: entries.length - changedTools.size,
    warnings: policyWarnings(changed, entries)
      .filter((warning) => warning.where.startsWith(where))
      .map((warning) => `The rule${warning.where.slice(where.length)} ${warning.message}`),
  };
}

function toEffect({ effect, ask }: { effect: PolicyEffect; ask?: "always" }): TriedEffect {
  return ask === "always" ? "ask always" : effect;
}

/** The index of the policy that a rule can be added to. */
function findLayer(layers: readonly PolicyLayer[], name: string | undefined): number {
  const index = layers.findIndex(
    (layer) => layer.toJSON() !== undefined && (name === undefined || layer.name === name),
  );
  if (index !== -1) return index;
  const names = layers.filter((layer) => layer.toJSON() !== undefined).map((layer) => layer.name);
  throw new ToolError(
    "invalid_configuration",
    names.length === 0
      ? "tryRule: the policy is a function, which has no rules: put a policy with rules behind it."
      : `tryRule: layer is ${formatValue(name)}; the policies with rules are ${names.join(", ")}.`,
  );
}

/** The policies with the rule at the end of one of them, and the place of the rule. */
function addRule(
  layers: readonly PolicyLayer[],
  index: number,
  rule: PolicyRule,
): { readonly layers: readonly PolicyLayer[]; readonly where: string } {
  const layer = layers[index] as PolicyLayer;
  const data = (layer.withoutDefault ?? layer).toJSON();
  const definition: PolicyDefinition = typeof data === "string" ? { preset: data } : (data ?? {});
  const { rules = [] } = definition;
  const place = placeOfLayer(layers, index);
  const changed = narrowPolicy(
    layers.slice(0, index),
    { ...definition, rules: [...rules, rule] },
    place,
  );
  return {
    layers: [...changed, ...layers.slice(index + 1)],
    where: `${place}.rules[${rules.length}]`,
  };
}

/** Permissions that a rule is for: its globs match themselves, so that they stand for what they match. */
function listExamples({ permissions }: PolicyRule): readonly PermissionRequest[] {
  if (permissions === undefined) return [];
  const matchesKind = globMatcher(listGlobs(permissions.kind ?? "*"));
  const kinds = new Set([
    ...permissionKinds.filter(matchesKind),
    ...listGlobs(permissions.kind).filter((kind) => !/[*?]/.test(kind)),
  ]);
  const targets = listGlobs(permissions.target ?? "*");
  return [...kinds]
    .flatMap((kind) => targets.map((target) => ({ kind, target, summary: "" })))
    .slice(0, maxPermissions);
}
