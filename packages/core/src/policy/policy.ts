/** What happens to calls that no rule names. */
export type PolicyPreset = "readOnly" | "supervised" | "autonomous" | "strict";

/** What a host may give as its policy. */
export type PolicyInput = PolicyPreset;
