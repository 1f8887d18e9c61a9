import type { SourceProblem, Tool } from "@toolweave/core";
import { findingProblem, scanSpec, twinProblems } from "@toolweave/core/scan";

/** Characters of one list that are looked through; a real list has less than a hundredth of it. */
const mostCharacters = 5_000_000;

/**
 * A warning for each tool whose texts seem to give the model orders, and for names that look alike: see `scanSpec` and
 * `twinProblems`. The tool stays; whoever lets it run
 * should have read it.
 */
export function promptInjectionWarnings(
  tools: readonly Tool[],
  originals?: readonly string[],
): readonly SourceProblem[] {
  const problems: SourceProblem[] = [...twinProblems(tools, originals)];
  let left = mostCharacters;
  for (const { spec, fingerprint = "" } of tools) {
    left -= fingerprint.length;
    if (left < 0) {
      const message = `The list is too long to be looked through for texts that give a model orders; from ${spec.name} on nobody has.`;
      problems.push({ subject: "tools/list", message, severity: "warning" });
      break;
    }
    for (const finding of scanSpec(spec)) problems.push(findingProblem(spec, finding, "server"));
  }
  return problems;
}
