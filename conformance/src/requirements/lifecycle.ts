import { must, type Requirement } from "../requirement.ts";

/** How a source begins, lives and ends. */
export const lifecycleRequirements: readonly Requirement[] = [
  must("TW-LIFE-001", "9", "What create gives becomes ready and has tools."),
  must("TW-LIFE-002", "9", "ready can be awaited again, and changes nothing.", ["source"]),
  must("TW-LIFE-003", "2", "close is idempotent.", ["source"]),
  must("TW-LIFE-004", "9", "A list of tools that has changed is another array.", ["source"]),
];
