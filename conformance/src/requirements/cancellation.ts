import { must, type Requirement } from "./requirement.ts";

/** Rules about cancellation. */
export const cancellationRequirements: readonly Requirement[] = [
  must(
    "TW-CANCEL-001",
    "5",
    "A call that is cancelled before it starts has no effect.",
    ["effectCalls"],
    ["TW-PERM-008"],
  ),
  must("TW-CANCEL-002", "5", "A running call that is cancelled ends, and its tool stops working.", [
    "slowCalls",
  ]),
  must("TW-CANCEL-003", "5", "A tool whose signal is already aborted stops.", ["slowCalls"]),
  must(
    "TW-CANCEL-004",
    "5",
    "A call that is cancelled before it completes has no effect.",
    ["slowCalls"],
    ["TW-CANCEL-002"],
  ),
  must(
    "TW-CANCEL-005",
    "5",
    "Cancelled calls leave no timers or child processes behind.",
    ["slowCalls"],
    ["TW-CANCEL-002"],
  ),
  must(
    "TW-CANCEL-006",
    "5",
    "After a call was cancelled, it and all other calls can be made again.",
    ["slowCalls", "succeedingCalls"],
    ["TW-CALL-002", "TW-CANCEL-002"],
  ),
  must(
    "TW-CANCEL-007",
    "5",
    "Cancelling one call does not end another call.",
    ["slowCalls"],
    ["TW-CANCEL-002"],
  ),
  must(
    "TW-CANCEL-008",
    "5",
    "A cancelled call causes no unhandled rejection and no uncaught exception.",
    ["slowCalls"],
  ),
];
