/**
 * What happens to calls that no rule names. `supervised` (the default): reads and your own
 * functions run unless marked destructive or needing approval, the rest asks. `readOnly`: only what
 * changes nothing runs. `autonomous`: everything runs. `strict`: unclassified, destructive and
 * spending tools are denied, what is not a read asks.
 */
export type PolicyPreset = "readOnly" | "supervised" | "autonomous" | "strict";

/** What a host may give as its policy. */
export type PolicyInput = PolicyPreset;
