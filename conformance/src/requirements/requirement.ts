import type { Declaration } from "../contract/manifest.ts";

/** What a rule needs before it can be checked: that `create` gives a `ToolSource`, or something that the manifest declares. */
export type Capability = "source" | Declaration;

/** One rule of the contract, as data. */
export interface Requirement {
  /** `TW-<AREA>-<number>`; never given to another rule. */
  readonly id: string;
  /** `must`: breaking it is a defect. `should`: breaking it costs somebody something. */
  readonly level: "must" | "should";
  /** The rule as one sentence. */
  readonly text: string;
  /** The section of the design that it comes from. */
  readonly section: string;
  readonly needs: readonly Capability[];
  /** Rules that this one stands on: while one of them is broken, this one has nothing to say. */
  readonly presupposes: readonly string[];
}

/** Makes a rule. Nothing in `needs` and `presupposes` unless given; `section` is of the design. */
type MakeRule = (
  id: string,
  section: string,
  text: string,
  needs?: readonly Capability[],
  presupposes?: readonly string[],
) => Requirement;

function ruleOf(level: Requirement["level"]): MakeRule {
  return (id, section, text, needs = [], presupposes = []) => ({
    id,
    level,
    text,
    section,
    needs,
    presupposes,
  });
}

/** A rule that has to be kept. */
export const must: MakeRule = ruleOf("must");

/** A rule that should be kept. */
export const should: MakeRule = ruleOf("should");
