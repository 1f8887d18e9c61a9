import type { ExecutorLimits } from "../limits/executor-limits.ts";
import {
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
