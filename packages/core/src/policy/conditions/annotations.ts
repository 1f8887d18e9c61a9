import type { AnnotationCondition } from "../../contract/policy-definition.ts";
import type { ToolAccess, ToolAnnotations } from "../../contract/tool-spec.ts";
import { checkBoolean, checkCondition, checkGlobs, nearest } from "./check-values.ts";
import { certain, impossible, possible, type Certainty, type ConditionOf } from "./condition.ts";

type HintName = Exclude<keyof AnnotationCondition, "access">;

/** MCP's defaults, and no approval. */
const hintDefaults: Readonly<Record<HintName, boolean>> = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
  needsApprovalHint: false,
};

const memberNames: readonly string[] = [...Object.keys(hintDefaults), "access"];
const accessKeys: readonly string[] = ["filesystem", "process", "network", "spend"];
const accessModes: readonly string[] = ["none", "read", "write"];

/** The claims of a tool about its effects. */
export const annotationsCondition: ConditionOf<"tool", AnnotationCondition> = {
  subject: "tool",
  allowHint: "an allow believes the annotations of trusted sources alone",

  check(where, given) {
    checkCondition(where, given, memberNames);
    const { access, ...hints } = given as Record<keyof AnnotationCondition, unknown>;
    for (const [hint, wanted] of Object.entries(hints)) checkBoolean(`${where}.${hint}`, wanted);
    if (!("access" in (given as object))) return;
    checkCondition(`${where}.access`, access, accessKeys);
    const { filesystem, ...reached } = access as Record<string, unknown>;
    for (const [what, wanted] of Object.entries(reached)) {
      checkBoolean(`${where}.access.${what}`, wanted);
    }
    if (filesystem === undefined) return;
    checkGlobs(`${where}.access.filesystem`, filesystem, (mode) =>
      accessModes.includes(mode) ? undefined : nearest(mode, accessModes),
    );
  },

  compile({ access, ...hints }) {
    const wantedHints = Object.entries(hints) as [HintName, boolean][];
    const reached = Object.entries(access ?? {}) as [keyof ToolAccess, unknown][];
    return ({ tool, trusted }) => {
      const { annotations } = tool.spec;
      let least: Certainty = certain;
      for (const [name, wanted] of wantedHints) {
        const certainty = testHint(annotations, name, wanted, trusted);
        if (certainty === impossible) return impossible;
        if (certainty < least) least = certainty;
      }
      if (reached.length === 0) return least;
      if (!trusted) return possible;
      for (const [name, wanted] of reached) {
        const declared: unknown = annotations.access?.[name];
        if (Array.isArray(wanted) ? !wanted.includes(declared) : declared !== wanted) {
          return impossible;
        }
      }
      return least;
    };
  },
};

function testHint(
  annotations: ToolAnnotations,
  name: HintName,
  wanted: boolean,
  trusted: boolean,
): Certainty {
  const byDefault = hintDefaults[name];
  const given: unknown = annotations[name];
  // A value that is neither true nor false, such as "true", may mean either.
  if (given !== undefined && given !== null && typeof given !== "boolean") return possible;
  const claimed = given ?? byDefault;
  if (trusted || claimed === byDefault) return claimed === wanted ? certain : impossible;
  // Only one of the two matches: an untrusted claim against the default.
  return possible;
}
