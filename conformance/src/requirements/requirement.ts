import type { Declaration } from "../contract/manifest.ts";

/**
 * A precondition of a rule: `create` returns a `ToolSource`, or the manifest declares something.
 */
export type Capability = "source" | Declaration;

/** One rule of the contract, as data. */
export interface Requirement {
  /** `TW-<AREA>-<number>`; never reused for another rule. */
  readonly id: string;
  /** `must`: breaking it is a defect. `should`: breaking it has a cost for users. */
  readonly level: "must" | "should";
  /** The rule in one sentence. */
  readonly text: string;
  /** The section of the design that it comes from. */
  readonly section: string;
  readonly needs: readonly Capability[];
  /** Rules that this one builds on: if one of them is broken, this one is not checked. */
  readonly presupposes: readonly string[];
}

/**
 * Creates a rule. `needs` and `presupposes` are empty by default; `section` is a section of the
 * design.
 */
type MakeRule = (
  id: string,
  section: string,
  text: string,
  needs?: readonly Capability[],
  presupposes?: readonly string[],
) => Requirement;

function createRuleMaker(level: Requirement["level"]): MakeRule {
  return (id, section, text, needs = [], presupposes = []) => ({
    id,
    level,
    text,
    section,
    needs,
    presupposes,
  });
}

/** Creates a rule whose violation is a defect. */
export const must: MakeRule = createRuleMaker("must");

/** Creates a rule whose violation has a cost, and is no defect. */
export const should: MakeRule = createRuleMaker("should");

/** Adds preconditions to rules: those that all rules of a group have. */
export function withNeeds(
  needs: readonly Capability[],
  rules: readonly Requirement[],
): readonly Requirement[] {
  return rules.map((rule) => ({ ...rule, needs: [...needs, ...rule.needs] }));
}
