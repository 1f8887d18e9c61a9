import { must, type Requirement } from "./requirement.ts";

/** Rules about side effects. */
export const purityRequirements: readonly Requirement[] = [
  must(
    "TW-PURE-001",
    "4",
    "A read-only tool changes nothing, whether it succeeds or fails.",
    ["state", "succeedingCalls"],
    ["TW-PURE-004", "TW-PERM-014"],
  ),
  must(
    "TW-PURE-002",
    "4",
    "An idempotent tool changes nothing more when it is called again.",
    ["state", "succeedingCalls"],
    ["TW-PURE-004", "TW-PERM-014"],
  ),
  must("TW-PURE-003", "4", "Validating arguments changes nothing.", ["state"]),
  must("TW-PURE-004", "1", "Listing tools and reading their specs changes nothing.", ["state"]),
  must(
    "TW-PURE-005",
    "5",
    "A call has its effect exactly once.",
    ["effectCalls"],
    ["TW-CANCEL-001"],
  ),
];
