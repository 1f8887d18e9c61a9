import { must, type Requirement } from "./requirement.ts";

/** What a host does to a source before it uses it. */
export const viewRequirements: readonly Requirement[] = [
  must(
    "TW-VIEW-001",
    "9",
    "What holds for the tools holds for a prefixed and filtered view of them.",
  ),
  must(
    "TW-VIEW-002",
    "5",
    "A tool that another tool calls, in one run with others, does the same as alone.",
    ["succeedingCalls"],
    ["TW-CALL-007"],
  ),
  must(
    "TW-VIEW-003",
    "9",
    "A tool that has another name, and other tools hidden beside it, does the same.",
    ["succeedingCalls"],
    ["TW-CALL-007", "TW-VIEW-001"],
  ),
];
