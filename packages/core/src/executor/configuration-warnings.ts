import type { ExecutorLimits } from "../limits/executor-limits.ts";
import { emitProcessWarning } from "../contract/process-warning.ts";
import {
  misspeltRestrictions,
  policyWarnings,
  unmatchedGlobs,
  type ConfigurationWarning,
} from "../policy/rule-warnings.ts";
import type { RegisteredTool } from "../contract/tool.ts";
import type { CallServices } from "./call/call-state.ts";

/** Finds configuration that has no effect. While sources are missing, only findings that do not depend on the tools. */
export function configurationWarnings(
  { registry, policies }: CallServices,
  limits: ExecutorLimits = {},
): readonly ConfigurationWarning[] {
  const isComplete = !registry.loading && registry.failedSources.length === 0;
  const entries = isComplete ? [...registry.toolset().entries()] : [];
  const found = policyWarnings(policies, entries);
  return entries.length === 0 ? found : [...found, ...limitWarnings(limits, entries)];
}

/**
 * Emits a process warning for rules of the policy that restrict nothing because of a misspelt name.
 *
 * @returns false while sources are missing: the tool may be one of theirs.
 */
export function warnOfMisspeltRules({ registry, policies }: CallServices): boolean {
  if (registry.loading || registry.failedSources.length > 0 || registry.size === 0) return false;
  const found = misspeltRestrictions(
    policies,
    (name) => registry.get(name) !== undefined,
    () => registry.toolset().names(),
  );
  if (found.length > 0) {
    emitProcessWarning(
      "TOOLWEAVE_POLICY_UNMATCHED",
      `A rule of the policy restricts no tool:\n${found.map(({ where, message }) => `- ${where} ${message}`).join("\n")}`,
      "Correct the name, or handle executor.configurationWarnings() before the first call.",
    );
  }
  return true;
}

function limitWarnings(
  { rates = [], concurrency }: ExecutorLimits,
  entries: readonly RegisteredTool[],
): readonly ConfigurationWarning[] {
  const names = entries.map(({ tool }) => tool.spec.name);
  const sources = entries.map(({ source }) => source);
  return [
    ...rates.flatMap(({ tools, sources: ofSources }, index) => [
      ...unmatchedGlobs(`limits.rates[${index}].tools`, tools, names, "tool"),
      ...unmatchedGlobs(`limits.rates[${index}].sources`, ofSources, sources, "source"),
    ]),
    ...unmatchedGlobs("limits.concurrency.exclusive", concurrency?.exclusive, names, "tool"),
  ];
}
