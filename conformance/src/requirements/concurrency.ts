import { must, should, type Requirement } from "./requirement.ts";

/** Rules about calls that run at the same time. */
export const concurrencyRequirements: readonly Requirement[] = [
  must(
    "TW-CONC-001",
    "5",
    "Calls that succeed one after the other also succeed concurrently.",
    ["succeedingCalls"],
    ["TW-CALL-007"],
  ),
  must(
    "TW-CONC-002",
    "5",
    "Concurrent calls return the same results as when they run alone.",
    ["succeedingCalls"],
    ["TW-CONC-001"],
  ),
  must(
    "TW-CONC-003",
    "5",
    "Calls with the same id in two runs are not confused with each other.",
    ["succeedingCalls"],
    ["TW-CONC-002"],
  ),
  must("TW-CONC-004", "5", "Concurrent calls with effects each have their effect.", [
    "effectCalls",
  ]),
  must(
    "TW-CONC-005",
    "5",
    "A failing call does not affect calls that run at the same time.",
    ["failingCalls", "succeedingCalls"],
    ["TW-CONC-001", "TW-ERROR-006"],
  ),
  must(
    "TW-CONC-006",
    "9",
    "Calls of two instances do not affect each other.",
    ["succeedingCalls"],
    ["TW-CONC-002"],
  ),
  should(
    "TW-CONC-007",
    "5",
    "A slow call does not delay the others.",
    ["slowCalls", "succeedingCalls"],
    ["TW-CONC-001"],
  ),
  must(
    "TW-CONC-008",
    "5",
    "Calls with the same id in two runs each have their effect.",
    ["effectCalls"],
    ["TW-CANCEL-001", "TW-CONC-004"],
  ),
];
