import type { Finding } from "../text/finding.ts";
import type { HookArtifact, ToolArtifact } from "./artifact.ts";

/**
 * Reports the tools, and the hooks, that have the name of one before them. Each finding is at the later one and names the
 * place of the first.
 */
export function findDuplicates(
  artifacts: readonly (ToolArtifact | HookArtifact)[],
): readonly Finding[] {
  const first = new Map<string, ToolArtifact | HookArtifact>();
  const findings: Finding[] = [];
  for (const artifact of artifacts) {
    if (artifact.name === "") continue;
    const key = `${artifact.kind} ${artifact.name}`;
    const known = first.get(key);
    if (known === undefined) {
      first.set(key, artifact);
      continue;
    }
    const { file, line, column } = artifact.place;
    findings.push({
      file,
      line,
      column,
      code: "duplicate_name",
      severity: "error",
      message: `${artifact.kind} "${artifact.name}" is defined more than once`,
      hint: `The first is at ${known.place.file}:${known.place.line}. Rename one of the two, or remove it.`,
    });
  }
  return findings;
}
