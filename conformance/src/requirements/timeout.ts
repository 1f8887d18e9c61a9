import { must, should, type Requirement } from "./requirement.ts";

/** Rules about timeouts. */
export const timeoutRequirements: readonly Requirement[] = [
  must(
    "TW-TIMEOUT-001",
    "5",
    "A call that exceeds its timeout ends with timeout, and its tool stops.",
    ["slowCalls"],
    ["TW-CANCEL-002"],
  ),
  must(
    "TW-TIMEOUT-002",
    "5",
    "A call that exceeds its timeout has no effect afterwards.",
    ["slowCalls"],
    ["TW-CANCEL-004", "TW-TIMEOUT-001"],
  ),
  must(
    "TW-TIMEOUT-003",
    "5",
    "After a timeout, calls still succeed.",
    ["slowCalls", "succeedingCalls"],
    ["TW-CANCEL-006", "TW-TIMEOUT-001"],
  ),
  should(
    "TW-TIMEOUT-004",
    "5",
    "A spec has a timeout of at most ten minutes, the default maximum of executors.",
  ),
];
