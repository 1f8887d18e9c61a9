import { must, type Requirement } from "../requirement.ts";

/** What cancellation does. */
export const cancellationRequirements: readonly Requirement[] = [
  must(
    "TW-CANCEL-001",
    "5",
    "A call that is cancelled or refused before it starts has no effect.",
    ["effectCalls"],
  ),
  must("TW-CANCEL-002", "5", "A running call that is cancelled ends, and its tool stops.", [
    "slowCalls",
  ]),
  must("TW-CANCEL-003", "5", "A tool stops that finds its signal fired already.", ["slowCalls"]),
];
