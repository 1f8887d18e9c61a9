import { must, type Requirement } from "./requirement.ts";

/** What cancellation does. */
export const cancellationRequirements: readonly Requirement[] = [
  must(
    "TW-CANCEL-001",
    "5",
    "A call that is cancelled before it starts has no effect.",
    ["effectCalls"],
    ["TW-PERM-008"],
  ),
  must("TW-CANCEL-002", "5", "A running call that is cancelled ends, and its tool stops.", [
    "slowCalls",
  ]),
  must("TW-CANCEL-003", "5", "A tool that finds its signal fired already stops.", ["slowCalls"]),
  must(
    "TW-CANCEL-004",
    "5",
    "The effect of a call that was cancelled before its end does not come.",
    ["slowCalls"],
    ["TW-CANCEL-002"],
  ),
  must(
    "TW-CANCEL-005",
    "5",
    "Calls that were cancelled leave no timers and child processes behind.",
    ["slowCalls"],
    ["TW-CANCEL-002"],
  ),
  must(
    "TW-CANCEL-006",
    "5",
    "After a call was cancelled, it can be made again, and so can the others.",
    ["slowCalls", "succeedingCalls"],
    ["TW-CALL-002", "TW-CANCEL-002"],
  ),
  must(
    "TW-CANCEL-007",
    "5",
    "Cancelling one call does not end another.",
    ["slowCalls"],
    ["TW-CANCEL-002"],
  ),
  must(
    "TW-CANCEL-008",
    "5",
    "A call that is cancelled lets no error escape that nobody can catch.",
    ["slowCalls"],
  ),
];
