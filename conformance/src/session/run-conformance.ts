import { withSignal } from "@toolweave/core/adapter";
import type { Manifest } from "../contract/manifest.ts";
import { createReport, type ConformanceReport, type RuleResult } from "../report/report.ts";
import { requirements } from "../requirements/requirements.ts";
import { selectRules } from "./rule-tests.ts";
import { Session, type ConformanceOptions } from "./session.ts";

/** The progress of a run. */
export interface RunProgress {
  /** The number of rules that are done. */
  readonly done: number;
  /** The number of rules that were selected. */
  readonly of: number;
}

/** Options of a run. */
export interface RunOptions extends ConformanceOptions {
  /** Called with each result as soon as the rule is done. If it throws, the run ends. */
  readonly onResult?: (result: RuleResult, progress: RunProgress) => void;
  /** Aborts the run: all subjects are closed, and the run rejects with the reason. */
  readonly signal?: AbortSignal;
}

/**
 * Checks the rules of the contract against a manifest.
 *
 * @returns the results of all rules; a failing rule does not throw.
 * @throws ToolError `invalid_configuration` if the manifest is invalid or `only` names an unknown rule; the
 * reason of `signal` if it is aborted.
 * @example
 * ```ts
 * const report = await runConformance({ name: "my tools", create: () => [add] });
 * ```
 */
export async function runConformance(
  manifest: Manifest,
  options: RunOptions = {},
): Promise<ConformanceReport> {
  const { only, onResult, signal } = options;
  const chosen = selectRules(only);
  signal?.throwIfAborted();
  const session = new Session(manifest, options);
  const began = performance.now();
  const rules: RuleResult[] = [];
  try {
    for (const requirement of chosen) {
      const result = await withSignal(session.result(requirement), signal);
      // Checks of tools in this process may never yield to the event loop, which Ctrl-C needs.
      await new Promise((resolve) => setImmediate(resolve));
      rules.push(result);
      onResult?.(result, { done: rules.length, of: chosen.length });
    }
  } finally {
    await session.close();
  }
  return createReport({
    subject: manifest.name,
    seed: session.seed,
    durationMs: Math.round(performance.now() - began),
    complete: chosen.length === requirements.length,
    rules,
  });
}
