import type { Manifest } from "./manifest.ts";
import { reportOf, type ConformanceReport, type RuleResult } from "./report.ts";
import { requirements } from "./requirements.ts";
import { Session, type ConformanceOptions } from "./session.ts";

/**
 * Checks every rule of the contract against what a manifest declares.
 *
 * @returns what came of each rule; a rule that fails does not throw.
 * @throws ToolError `internal` when the manifest contradicts itself.
 * @example
 * ```js
 * const report = await runConformance({ name: "my tools", create: () => [add] });
 * ```
 */
export async function runConformance(
  manifest: Manifest,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  const session = new Session(manifest, options);
  const results: RuleResult[] = [];
  try {
    for (const requirement of requirements) results.push(await session.result(requirement));
  } finally {
    await session.close();
  }
  return reportOf(manifest.name, session.seed, results);
}
