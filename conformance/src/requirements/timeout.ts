import { must, should, type Requirement } from "./requirement.ts";

/** What a timeout does. */
export const timeoutRequirements: readonly Requirement[] = [
  must(
    "TW-TIMEOUT-001",
    "5",
    "A call that takes too long ends with timeout, and its tool stops.",
    ["slowCalls"],
    ["TW-CANCEL-002"],
  ),
  must(
    "TW-TIMEOUT-002",
    "5",
    "The effect of a call that took too long does not come.",
    ["slowCalls"],
    ["TW-CANCEL-004", "TW-TIMEOUT-001"],
  ),
  must(
    "TW-TIMEOUT-003",
    "5",
    "After a call took too long, calls succeed.",
    ["slowCalls", "succeedingCalls"],
    ["TW-CANCEL-006", "TW-TIMEOUT-001"],
  ),
  should(
    "TW-TIMEOUT-004",
    "5",
    "A spec asks for no more time than executors give at most by default, which is ten minutes.",
  ),
];
