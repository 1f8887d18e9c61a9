import { must, type Requirement } from "./requirement.ts";

/** Rules about views of a source, and about calls that other tools make. */
export const viewRequirements: readonly Requirement[] = [
  must(
    "TW-VIEW-001",
    "9",
    "Rules that hold for the tools also hold for a prefixed and filtered view of them.",
  ),
  must(
    "TW-VIEW-002",
    "5",
    "A tool works the same when another tool calls it.",
    ["succeedingCalls"],
    ["TW-CALL-007"],
  ),
  must(
    "TW-VIEW-003",
    "9",
    "A tool works the same under another name and when other tools are hidden.",
    ["succeedingCalls"],
    ["TW-CALL-007", "TW-VIEW-001"],
  ),
];
