import type { SampleKind } from "./manifest.ts";

/**
 * What a rule needs before it can be checked: that `create` gives a `ToolSource`, or sample calls of
 * a kind.
 */
export type Capability = "source" | SampleKind;

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
}
