import type { SourceProblem } from "../registry/tool-source.ts";
import type { Tool } from "../contract/tool.ts";
import type { ToolSpec } from "../contract/tool-spec.ts";
import type { SpecFinding } from "./scan-spec.ts";
import { twinNames } from "./twin-names.ts";

/** The warning for a finding in a third-party text about a tool. */
export function findingProblem(
  spec: Pick<ToolSpec, "name">,
  { says, excerpt, pointer }: SpecFinding,
  author: "server" | "document",
): SourceProblem {
  const message = `What the ${author} says of the tool ${spec.name} ${says}: ${JSON.stringify(excerpt)}. Read it before you trust it.`;
  return { subject: spec.name, message, pointer, severity: "warning" };
}

/**
 * Makes a warning for each group of tools that a reader can confuse, by their names and by their names in the source:
 * see `twinNames`.
 *
 * @param originals the tools' names in the source, in their order. Default: their names.
 */
export function twinProblems(
  tools: readonly Tool[],
  originals: readonly string[] = [],
): readonly SourceProblem[] {
  const nameOf = new Map<string, string>();
  for (const [index, { spec }] of tools.entries()) {
    nameOf.set(spec.name, spec.name);
    nameOf.set(originals[index] ?? spec.name, spec.name);
  }
  const reported = new Set<string>();
  return twinNames(nameOf.keys()).flatMap((group) => {
    const names = [...new Set(group.map((name) => nameOf.get(name) as string))];
    const subject = names.join(", ");
    if (names.length < 2 || reported.has(subject)) return [];
    reported.add(subject);
    const quoted = group.map((name) => JSON.stringify(name)).join(" and ");
    const message = `The names ${quoted.slice(0, 300)} look alike: a model, or the person who approves a call, can confuse them.`;
    return [{ subject: subject.slice(0, 200), message, severity: "warning" as const }];
  });
}
