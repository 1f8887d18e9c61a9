import type { Manifest } from "../contract/manifest.ts";
import { reportOf, type ConformanceReport, type RuleResult } from "../report/report.ts";
import { requirements } from "../requirements/requirements.ts";
import { selectRules } from "./select-rules.ts";
import { Session, type ConformanceOptions } from "./session.ts";

/** How far a run is. */
export interface RunProgress {
  /** Rules that are done. */
  readonly done: number;
  /** Rules that the run is about. */
  readonly of: number;
}

/** How a manifest is tested by a program. */
export interface RunOptions extends ConformanceOptions {
  /** Told of each rule as soon as it is done. What it throws ends the run. */
  readonly onResult?: (result: RuleResult, progress: RunProgress) => void;
  /** Ends the run: everything that was made is closed, and the run rejects with the reason. */
  readonly signal?: AbortSignal;
}

/**
 * Checks the rules of the contract against what a manifest declares.
 *
 * @returns what came of each rule; a rule that fails does not throw.
 * @throws ToolError `internal` when the manifest contradicts itself, or `only` names no rule; the
 * reason of `signal` when it fires.
 * @example
 * ```js
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
      const result = await unlessAborted(session.result(requirement), signal);
      // Checks of tools in this process may never leave its event loop a turn, and Ctrl-C needs one.
      await new Promise((resolve) => setImmediate(resolve));
      rules.push(result);
      onResult?.(result, { done: rules.length, of: chosen.length });
    }
  } finally {
    await session.close();
  }
  return reportOf({
    subject: manifest.name,
    seed: session.seed,
    durationMs: Math.round(performance.now() - began),
    complete: chosen.length === requirements.length,
    rules,
  });
}

async function unlessAborted<T>(pending: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return pending;
  signal.throwIfAborted();
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([pending, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
