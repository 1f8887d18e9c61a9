import { checkOptions, isAtLeastZero } from "../contract/check-options.ts";
import { annotationsCondition } from "../policy/conditions/annotations.ts";
import { certain, type Test } from "../policy/conditions/condition.ts";
import { provenanceCondition } from "../policy/conditions/provenance.ts";
import type { ToolSelection, RegisteredTool } from "../contract/tool.ts";
import type { AnnotationCondition, ProvenanceCondition } from "../contract/policy-definition.ts";
import { formatValue } from "../text/format-value.ts";
import { ToolError } from "../contract/tool-error.ts";
import { globMatcher } from "../text/glob.ts";

const selectionKeys: readonly string[] = [
  "include",
  "exclude",
  "annotations",
  "provenance",
  "maxTokens",
] satisfies readonly (keyof ToolSelection)[];

/**
 * Whether a tool meets all conditions of a selection but its budget.
 *
 * @throws ToolError `internal` for an invalid selection.
 */
export function selectorOf(selection: ToolSelection): (entry: RegisteredTool) => boolean {
  checkOptions("toolset selection", selection, selectionKeys);
  const { include, exclude, annotations, provenance, maxTokens } = selection;
  if (maxTokens !== undefined && !isAtLeastZero(maxTokens)) {
    throw misuse(`maxTokens is ${formatValue(maxTokens)}; use 0 or more.`);
  }
  const included =
    include === undefined ? undefined : globMatcher(checkedGlobs("include", include));
  const excluded =
    exclude === undefined ? undefined : globMatcher(checkedGlobs("exclude", exclude));
  const isMeant = conditionOf(annotations, provenance);
  return (entry) => {
    const { name } = entry.tool.spec;
    return included?.(name) !== false && excluded?.(name) !== true && isMeant(entry);
  };
}

/** Matches as a policy's `allow` would, so that an untrusted claim selects nothing. */
function conditionOf(
  annotations: AnnotationCondition | undefined,
  provenance: ProvenanceCondition | undefined,
): (entry: RegisteredTool) => boolean {
  const tests: Test<RegisteredTool>[] = [];
  if (annotations !== undefined) {
    annotationsCondition.check("selection.annotations", annotations);
    tests.push(annotationsCondition.compile(annotations));
  }
  if (provenance !== undefined) {
    provenanceCondition.check("selection.provenance", provenance);
    tests.push(provenanceCondition.compile(provenance));
  }
  return (entry) => tests.every((test) => test(entry) === certain);
}

function checkedGlobs(key: string, globs: unknown): readonly string[] {
  if (Array.isArray(globs) && globs.every((glob) => typeof glob === "string")) return globs;
  throw misuse(`${key} is ${formatValue(globs)}; use a list of names and globs.`);
}

function misuse(what: string): ToolError {
  return new ToolError("internal", `toolset selection: ${what}`);
}

/** The shortest that a description can be: a name of one letter, and an object's schema. */
const minDescriptionLength = 3;

/** Accepts tools, asked in their order, as long as they fit into so many tokens together. */
export function withinTokens(maxTokens: number): (entry: RegisteredTool) => boolean {
  let left = maxTokens * 4;
  return ({ tool: { spec } }) => {
    if (left < minDescriptionLength) return false;
    try {
      // Schemas are costly to make: not for what is too long without its own.
      let size = spec.name.length + spec.description.length;
      if (size <= left) size += JSON.stringify(spec.inputSchema).length;
      if (!(size <= left)) return false;
      left -= size;
      return true;
    } catch {
      // A tool whose description cannot be serialised cannot be listed.
      return false;
    }
  };
}
