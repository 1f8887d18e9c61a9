import { must, type Requirement } from "./requirement.ts";

/** Whether tools keep what their hints promise. */
export const purityRequirements: readonly Requirement[] = [
  must(
    "TW-PURE-001",
    "4",
    "A tool that calls itself read-only changes nothing, whether it succeeds or fails.",
    ["state", "succeedingCalls"],
    ["TW-PURE-004", "TW-PERM-014"],
  ),
  must(
    "TW-PURE-002",
    "4",
    "A tool that calls itself idempotent changes nothing more when it is called again.",
    ["state", "succeedingCalls"],
    ["TW-PURE-004", "TW-PERM-014"],
  ),
  must("TW-PURE-003", "4", "Checking arguments changes nothing.", ["state"]),
  must("TW-PURE-004", "1", "Listing tools and reading their specs changes nothing.", ["state"]),
  must("TW-PURE-005", "5", "A call has its effect once.", ["effectCalls"], ["TW-CANCEL-001"]),
];
