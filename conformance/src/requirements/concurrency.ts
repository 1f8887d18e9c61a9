import { must, should, type Requirement } from "./requirement.ts";

/** What calls do to each other that run at the same time. */
export const concurrencyRequirements: readonly Requirement[] = [
  must(
    "TW-CONC-001",
    "5",
    "Calls that succeed one by one succeed side by side.",
    ["succeedingCalls"],
    ["TW-CALL-007"],
  ),
  must(
    "TW-CONC-002",
    "5",
    "Calls side by side are each answered as they are alone.",
    ["succeedingCalls"],
    ["TW-CONC-001"],
  ),
  must(
    "TW-CONC-003",
    "5",
    "Calls of two runs that have the same id are not taken for each other.",
    ["succeedingCalls"],
    ["TW-CONC-002"],
  ),
  must("TW-CONC-004", "5", "Each of the calls that change something side by side has its effect.", [
    "effectCalls",
  ]),
  must(
    "TW-CONC-005",
    "5",
    "A call that fails disturbs none that runs beside it.",
    ["failingCalls", "succeedingCalls"],
    ["TW-CONC-001", "TW-ERROR-006"],
  ),
  must(
    "TW-CONC-006",
    "9",
    "Calls of two instances do not disturb each other.",
    ["succeedingCalls"],
    ["TW-CONC-002"],
  ),
  should(
    "TW-CONC-007",
    "5",
    "A slow call does not hold up the others.",
    ["slowCalls", "succeedingCalls"],
    ["TW-CONC-001"],
  ),
  must(
    "TW-CONC-008",
    "5",
    "Calls of two runs that have the same id each have their effect.",
    ["effectCalls"],
    ["TW-CANCEL-001", "TW-CONC-004"],
  ),
];
