import type { Tool } from "@toolweave/core";
import type { SourceProblem } from "@toolweave/core/adapter";
import { findingProblem, scanSpec, twinProblems } from "@toolweave/core/scan";

/** Maximum number of characters of one list that are scanned; real lists have less than a hundredth of it. */
const maxCharacters = 5_000_000;

/**
 * Returns a warning for each tool whose texts look like prompt injection, and for names that look alike: see
 * `scanSpec` and `twinProblems`. The tools stay: the warning is for the person who decides whether they may run.
 */
export function promptInjectionWarnings(
  tools: readonly Tool[],
  originals?: readonly string[],
): readonly SourceProblem[] {
  const problems: SourceProblem[] = [...twinProblems(tools, originals)];
  let remaining = maxCharacters;
  for (const { spec, fingerprint = "" } of tools) {
    remaining -= fingerprint.length;
    if (remaining < 0) {
      const message = `The list is too long to be scanned for prompt injection: tools from ${spec.name} on were not scanned.`;
      problems.push({ subject: "tools/list", message, severity: "warning" });
      break;
    }
    for (const finding of scanSpec(spec)) problems.push(findingProblem(spec, finding, "server"));
  }
  return problems;
}
